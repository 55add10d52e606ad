package keygen

import "strings"

// PartitionValues gives the texts of the partition columns that a partition
// path holds, nil for null. It answers nil where the path can't be taken apart
// (HoodieSparkUtils.parsePartitionColumnValues): then the values stand in the
// data files only.
func (s Spec) PartitionValues(path string) map[string]*string {
	fields := s.PartitionFields
	if len(fields) == 0 {
		return nil
	}
	levels := strings.Split(path, "/")
	values := make(map[string]*string, len(fields))
	switch {
	case len(levels) == len(fields):
		for i, f := range fields {
			values[f.Name] = s.value(strings.TrimPrefix(levels[i], f.Name+"="))
		}
	case len(fields) == 1:
		text := strings.TrimPrefix(path, fields[0].Name+"=")
		if s.SlashedDates {
			text = strings.ReplaceAll(text, "/", "-")
		}
		values[fields[0].Name] = s.value(text)
	case strings.HasPrefix(levels[0], fields[0].Name+"="):
		return s.grouped(levels)
	default:
		return nil
	}
	return values
}

// grouped reads hive-style levels of several columns, some of whose values
// hold slashes: a level that begins `nextColumn=` starts the next value.
func (s Spec) grouped(levels []string) map[string]*string {
	values := make(map[string]*string, len(s.PartitionFields))
	current, text := -1, ""
	flush := func() {
		if current >= 0 {
			values[s.PartitionFields[current].Name] = s.value(text)
		}
	}
	for _, l := range levels {
		if next := current + 1; next < len(s.PartitionFields) && strings.HasPrefix(l, s.PartitionFields[next].Name+"=") {
			flush()
			current, text = next, strings.TrimPrefix(l, s.PartitionFields[next].Name+"=")
			continue
		}
		text += "/" + l
	}
	flush()
	if len(values) != len(s.PartitionFields) {
		return nil
	}
	return values
}

func (s Spec) value(text string) *string {
	if text == NullPartition || text == DefaultPartition && s.TableVersion < 5 {
		return nil
	}
	text = Unescape(text)
	return &text
}
