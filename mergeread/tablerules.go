package mergeread

import (
	"strings"

	"github.com/hudi-go/hudi/snapshot"
)

// Strategy ids that Hudi's own mergers go by (HoodieRecordMerger).
const (
	strategyEventTime  = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"
	strategyCommitTime = "ce9acb64-bde0-424c-9b91-f6ebba25356d"
	strategyPayload    = "00000000-0000-0000-0000-000000000000"
)

// TableRules are the rules that a table's configuration asks for. From table
// version 8 on the merge mode is recorded; before, it follows from the payload
// class or, without one, from the strategy id.
func TableRules(c *snapshot.Config) (Rules, error) {
	r := Rules{
		Ordering:     c.OrderingFields,
		Strategy:     c.MergeStrategy,
		Payload:      strings.Replace(c.PayloadClass, "com.uber.hoodie", "org.apache.hudi", 1),
		DeleteField:  mergeProperty(c, "hoodie.payload.delete.field"),
		DeleteMarker: mergeProperty(c, "hoodie.payload.delete.marker"),
	}
	mode := c.MergeMode
	if c.Version < 8 || mode == "" {
		mode = inferMode(shortClass(r.Payload), c.MergeStrategy)
	}
	switch mode {
	case "COMMIT_TIME_ORDERING":
		r.Mode, r.Payload = CommitTime, ""
	case "EVENT_TIME_ORDERING":
		r.Mode, r.Payload = EventTime, ""
	case "CUSTOM":
		r.Mode = Custom
	default:
		return r, &snapshot.TableError{
			Table: c.Name, Key: "hoodie.record.merge.mode", Kind: snapshot.ErrUnsupported,
			Reason: "merge mode " + mode + " is not known",
		}
	}
	if c.Version >= 9 {
		switch c.PartialUpdateMode {
		case "":
		case "IGNORE_DEFAULTS":
			r.Partial = IgnoreDefaults
		case "FILL_UNAVAILABLE":
			r.Partial = FillUnavailable
			r.Unavailable = mergeProperty(c, "hoodie.write.partial.update.unavailable.value")
		default:
			return r, &snapshot.TableError{
				Table: c.Name, Key: "hoodie.table.partial.update.mode", Kind: snapshot.ErrUnsupported,
				Reason: "partial update mode " + c.PartialUpdateMode + " is not known",
			}
		}
	}
	return r, r.Validate()
}

// inferMode gives the merge mode of a table that records none: the payload
// class decides, then the strategy id. A table with neither is read as Hudi 1.x
// reads it, by event time.
func inferMode(payload, strategy string) string {
	switch payload {
	case "DefaultHoodieRecordPayload", "EventTimeAvroPayload":
		return "EVENT_TIME_ORDERING"
	case "OverwriteWithLatestAvroPayload":
		return "COMMIT_TIME_ORDERING"
	case "":
		if strategy == strategyCommitTime {
			return "COMMIT_TIME_ORDERING"
		}
		if strategy == "" || strategy == strategyEventTime || strategy == strategyPayload {
			return "EVENT_TIME_ORDERING"
		}
	}
	return "CUSTOM"
}

// mergeProperty reads a property that stands in hoodie.properties with or
// without the prefix of merge properties.
func mergeProperty(c *snapshot.Config, key string) string {
	if v, ok := c.MergeProperties[key]; ok {
		return v
	}
	v, _ := c.Get(key)
	return v
}
