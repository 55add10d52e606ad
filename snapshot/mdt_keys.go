package snapshot

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Keys of the metadata table's indexes are put together of hashes, all of one
// length each, so that the records of a column, or of a column in a partition,
// have a common prefix.

// hashSeed is HoodieTableMetadataUtil's.
const hashSeed = 0xFFFFFFFFDABADABA

func hashed64(name string) string {
	d := xxhash.NewWithSeed(hashSeed)
	d.WriteString(name)
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, d.Sum64()))
}

func hashedPartition(partition string) string {
	if partition == "" {
		partition = noPartition
	}
	return hashed64(partition)
}

func hashedFile(file string) string {
	sum := md5.Sum([]byte(path.Base(file)))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// ColumnStatsPrefix begins the keys of a column in column_stats, and in
// partition_stats.
func ColumnStatsPrefix(column string) string { return hashed64(column) }

// PartitionStatsKey is the key of a column's record for a partition in
// partition_stats, and begins the keys of its files in column_stats.
func PartitionStatsKey(column, partition string) string {
	return hashed64(column) + hashedPartition(partition)
}

// SortByHash sorts partitions as their records are in column_stats, for each
// column.
func SortByHash(partitions []string) {
	hashed := make(map[string]string, len(partitions))
	for _, p := range partitions {
		hashed[p] = hashedPartition(p)
	}
	slices.SortFunc(partitions, func(a, b string) int { return strings.Compare(hashed[a], hashed[b]) })
}

// FileStatsSuffix ends the keys of a file's records in column_stats. The file
// may have its folder in front.
func FileStatsSuffix(file string) string { return hashedFile(file) }

// BloomStem begins the keys of a partition's files in bloom_filters;
// [FileStatsSuffix] ends them.
func BloomStem(partition string) string { return hashedPartition(partition) }

// BloomKey is the key of a file's record in bloom_filters.
func BloomKey(partition, file string) string { return BloomStem(partition) + hashedFile(file) }

// SecondaryKeyPrefix begins the keys of the records with a value of the
// indexed column.
func SecondaryKeyPrefix(value string) string {
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`, "\x00", "\\\x00").Replace(value) + "$"
}

// SecondaryRecordKey gives the record key in a key of a secondary index.
func SecondaryRecordKey(key string) (string, bool) {
	at := secondaryEnd(key)
	if at < 0 {
		return "", false
	}
	escaped := key[at+1:]
	if strings.IndexByte(escaped, '\\') < 0 {
		return escaped, true
	}
	var b strings.Builder
	for i := 0; i < len(escaped); i++ {
		if escaped[i] == '\\' && i+1 < len(escaped) {
			i++
		}
		b.WriteByte(escaped[i])
	}
	return b.String(), true
}

// Locations gives where the records of some keys are, by the record index: all
// places of a key, where the index is kept by data partition.
func (m *MetadataTable) Locations(ctx context.Context, keys []string) ([]RecordLocation, error) {
	groups, err := m.Groups(ctx, PartitionRecordIndex)
	if err != nil {
		return nil, err
	}
	var all []RecordLocation
	for _, shard := range shards(PartitionRecordIndex, groups) {
		found := map[string]*MetadataRecord{}
		if err := m.readHashed(ctx, shard, keys, func(key string) string { return key }, found); err != nil {
			return nil, err
		}
		for _, r := range found {
			if r.Location != nil {
				all = append(append(all, *r.Location), r.Elsewhere...)
			}
		}
	}
	return all, nil
}
