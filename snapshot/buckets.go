package snapshot

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hudi-go/hudi/internal/storage"
)

// Bucket indexes
//
// A bucket index puts a record into the file group that a hash of its key
// names. With simple buckets the file id begins with the number of the bucket,
// in eight digits; how many there are is written into the table only where it
// depends on the partition (a hashing config), and told by read options
// otherwise, as Spark's reader has to be told, too. With consistent hashing, each
// file group has a range of hashes, which files below .hoodie/.bucket_index
// list for each partition; a file group that is split or merged gets a new id,
// so that the range of an id never changes.

const (
	bucketFolder    = metaFolder + "/.bucket_index"
	hashingFolder   = bucketFolder + "/consistent_hashing_metadata"
	hashingSuffix   = ".hashing_meta"
	configsFolder   = bucketFolder + "/partition_bucket_index_meta/configs"
	configsSuffix   = ".hashing_config"
	bucketDigits    = 8
	bucketTypeKey   = "hoodie.index.type"
	bucketCountKey  = "hoodie.bucket.index.num.buckets"
	bucketFieldsKey = "hoodie.bucket.index.hash.field"
	bucketRuleKey   = "hoodie.bucket.index.partition.rule.type"
	bucketRulesKey  = "hoodie.bucket.index.partition.expressions"
)

// Buckets tell which keys the file groups of a table may have.
type Buckets struct {
	// Fields are the key columns that are hashed, in order.
	Fields []string

	st         storage.Storage
	simple     bool // the index is known to be one of simple buckets
	consistent bool
	count      int // of simple buckets, 0 if not known
	rules      []bucketRule
	rings      lazyMap[ring]
}

type bucketRule struct {
	partitions *regexp.Regexp
	count      int
}

// A ring gives the hashes of file groups, by the beginning of their ids.
type ring map[string]hashRange

// A hashRange are the hashes above one, up to and including another; if they
// are not in order, it goes around.
type hashRange struct{ above, upTo int32 }

func (h hashRange) has(hash int32) bool {
	if h.above < h.upTo {
		return hash > h.above && hash <= h.upTo
	}
	return hash > h.above || hash <= h.upTo
}

// Buckets reads what the table, or a read option, says about its bucket index;
// nil if it has none, or if it is not known how keys are hashed.
func (s *Snapshot) Buckets(ctx context.Context) (*Buckets, error) {
	return s.buckets.get(func() (*Buckets, error) {
		b := &Buckets{st: s.st, Fields: s.cfg.RecordKeys}
		if names := s.bucketOption(bucketFieldsKey); names != "" {
			b.Fields = strings.Split(names, ",")
		} else if len(b.Fields) != 1 {
			return nil, nil // any of the key columns may be hashed
		}
		entries, err := s.st.List(ctx, bucketFolder)
		if err != nil && !absent(err) {
			return nil, &TableError{Table: s.st.Root(), File: bucketFolder, Reason: "can't list the bucket index", Err: err}
		}
		for _, e := range entries {
			b.consistent = b.consistent || e.Name == "consistent_hashing_metadata"
		}
		b.setOptions(s.bucketOption)
		if len(entries) > 0 {
			if err := b.readConfig(ctx, s.timeline); err != nil {
				return nil, err
			}
		}
		if !b.simple && !b.consistent {
			return nil, nil
		}
		return b, nil
	})
}

// setOptions takes what the table's properties or read options say.
func (b *Buckets) setOptions(option func(key string) string) {
	n, err := strconv.Atoi(option(bucketCountKey))
	if err != nil || n < 1 || !strings.EqualFold(option(bucketTypeKey), "BUCKET") {
		return
	}
	b.simple, b.count = true, n
	if text := option(bucketRulesKey); text != "" {
		b.rules, b.simple = parseBucketRules(cmp.Or(option(bucketRuleKey), "regex"), text)
	}
}

func (s *Snapshot) bucketOption(key string) string {
	if v := s.opts.Hudi[key]; v != "" {
		return v
	}
	v, _ := s.cfg.Get(key)
	return v
}

// readConfig reads the newest hashing config of a write that is not pending.
func (b *Buckets) readConfig(ctx context.Context, t *Timeline) error {
	entries, err := b.st.List(ctx, configsFolder)
	if absent(err) {
		return nil
	}
	newest := ""
	for _, e := range entries {
		instant, ok := strings.CutSuffix(e.Name, configsSuffix)
		pending := slices.ContainsFunc(t.active, func(i Instant) bool { return i.Requested == instant && !t.isCompletedAt(instant) })
		if ok && !pending && e.Name > newest {
			newest = e.Name
		}
	}
	if err != nil || newest == "" {
		return err
	}
	file := storage.Join(configsFolder, newest)
	var c struct {
		Expressions string `json:"expressions"`
		Default     int    `json:"defaultBucketNumber"`
		Rule        string `json:"rule"`
	}
	if err := b.readJSON(ctx, file, &c); err != nil {
		return err
	}
	rules, ok := parseBucketRules(c.Rule, c.Expressions)
	b.simple, b.count, b.rules = ok && c.Default > 0, c.Default, rules
	return nil
}

func (b *Buckets) readJSON(ctx context.Context, file string, to any) error {
	data, err := storage.ReadFile(ctx, b.st, file)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		return &TableError{Table: b.st.Root(), File: file, Kind: ErrCorrupt,
			Reason: "can't read the bucket index (read option hudi.pruning.disable=buckets does without)", Err: err}
	}
	return nil
}

// plainRegexp are expressions that mean the same in Java and in Go.
var plainRegexp = regexp.MustCompile(`^(?:[A-Za-z0-9_=/\- .*+?(){}|,]|\\d|\[[A-Za-z0-9_\-]+\])*$`)

// parseBucketRules reads "expression,count;expression,count", the first that
// matches counts.
func parseBucketRules(kind, text string) (rules []bucketRule, ok bool) {
	if !strings.EqualFold(kind, "regex") {
		return nil, false
	}
	for part := range strings.SplitSeq(text, ";") {
		at := strings.LastIndexByte(part, ',')
		if at < 0 || !plainRegexp.MatchString(part[:at]) || strings.Contains(part, "(?") {
			return nil, false
		}
		count, err := strconv.Atoi(strings.TrimSpace(part[at+1:]))
		if err != nil || count < 1 {
			return nil, false
		}
		r, err := regexp.Compile("^(?:" + part[:at] + ")$")
		if err != nil {
			return nil, false
		}
		rules = append(rules, bucketRule{r, count})
	}
	return rules, true
}

// Of gives a function that tells whether a file group of a partition may have
// one of some keys, each given by the texts of its Fields. groups are all file
// ids of the partition: if one is not what the index makes, nothing is known,
// and the function is nil.
func (b *Buckets) Of(ctx context.Context, partition string, groups []string, keys [][]string) (func(fileID string) bool, error) {
	if b.consistent {
		return b.ofRing(ctx, partition, groups, keys)
	}
	count := b.count
	for _, r := range b.rules {
		if r.partitions.MatchString(partition) {
			count = r.count
			break
		}
	}
	for _, id := range groups {
		if n, ok := bucketOf(id); !ok || n >= count {
			return nil, nil
		}
	}
	in := map[int]bool{}
	for _, key := range keys {
		in[simpleBucket(key, count)] = true
	}
	return func(fileID string) bool {
		n, _ := bucketOf(fileID)
		return in[n]
	}, nil
}

// bucketOf reads the number at the beginning of a file id.
func bucketOf(fileID string) (int, bool) {
	if len(fileID) <= bucketDigits || fileID[bucketDigits] != '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(fileID[:bucketDigits], 10, 31)
	return int(n), err == nil
}

// simpleBucket hashes texts as Java hashes a list of them.
func simpleBucket(key []string, count int) int {
	h := int32(1)
	for _, text := range key {
		h = 31*h + javaHash(text)
	}
	return int(h&math.MaxInt32) % count
}

func (b *Buckets) ofRing(ctx context.Context, partition string, groups []string, keys [][]string) (func(fileID string) bool, error) {
	r, err := b.rings.get(partition, func() (ring, error) { return b.readRing(ctx, partition) })
	if err != nil || len(r) == 0 {
		return nil, err
	}
	hashes := make([]int32, len(keys))
	for i, key := range keys {
		hashes[i] = int32(xxHash32([]byte(strings.Join(key, ""))) & math.MaxInt32)
	}
	return func(fileID string) bool {
		at, ok := r[strings.TrimSuffix(fileID, "-0")]
		return !ok || slices.ContainsFunc(hashes, at.has)
	}, nil
}

// readRing reads the ranges of all file groups that a partition ever had. Ids
// that do not stand for one range are left out.
func (b *Buckets) readRing(ctx context.Context, partition string) (ring, error) {
	folder := storage.Join(hashingFolder, partition)
	entries, err := b.st.List(ctx, folder)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, &TableError{Table: b.st.Root(), File: folder, Reason: "can't list the bucket index", Err: err}
	}
	all, twice := ring{}, map[string]bool{}
	for _, e := range entries {
		if e.IsDir || !strings.HasSuffix(e.Name, hashingSuffix) {
			continue
		}
		var m struct {
			Nodes []struct {
				Value int32  `json:"value"`
				ID    string `json:"fileIdPrefix"`
			} `json:"nodes"`
		}
		if err := b.readJSON(ctx, storage.Join(folder, e.Name), &m); err != nil {
			return nil, err
		}
		for i, n := range m.Nodes {
			before := m.Nodes[(i+len(m.Nodes)-1)%len(m.Nodes)].Value
			if i > 0 && before >= n.Value {
				return nil, &TableError{Table: b.st.Root(), File: storage.Join(folder, e.Name), Kind: ErrCorrupt, Err: fmt.Errorf("hashes are not in order"),
					Reason: "can't read the bucket index (read option hudi.pruning.disable=buckets does without)"}
			}
			h := hashRange{before, n.Value}
			if have, ok := all[n.ID]; ok && have != h {
				twice[n.ID] = true
			}
			all[n.ID] = h
		}
	}
	for id := range twice {
		delete(all, id)
	}
	return all, nil
}

// The primes of XXH32.
const (
	xxPrime1 uint32 = 2654435761
	xxPrime2 uint32 = 2246822519
	xxPrime3 uint32 = 3266489917
	xxPrime4 uint32 = 668265263
	xxPrime5 uint32 = 374761393
)

// xxHash32 is XXH32 with the seed 0.
func xxHash32(b []byte) uint32 {
	n := uint32(len(b))
	h := xxPrime5
	if len(b) >= 16 {
		var seed uint32
		v := [4]uint32{seed + xxPrime1 + xxPrime2, seed + xxPrime2, seed, seed - xxPrime1}
		for ; len(b) >= 16; b = b[16:] {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+binary.LittleEndian.Uint32(b[4*i:])*xxPrime2, 13) * xxPrime1
			}
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	}
	h += n
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*xxPrime3, 17) * xxPrime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>15) * xxPrime2
	h = (h ^ h>>13) * xxPrime3
	return h ^ h>>16
}
