package pushdown

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hudi-go/hudi/internal/parquet"
)

// Footer keys of the index that Hudi leaves in base files.
const (
	BloomKey     = "org.apache.hudi.bloomfilter"
	OldBloomKey  = "com.uber.hoodie.bloomfilter"
	BloomTypeKey = "hoodie_bloom_filter_type_code"
	MinKeyKey    = "hoodie_min_record_key"
	MaxKeyKey    = "hoodie_max_record_key"
)

// Types of Bloom filters, as BloomTypeKey and the metadata table name them.
const (
	BloomSimple  = "SIMPLE"
	BloomDynamic = "DYNAMIC_V0"
)

var errBloom = errors.New("not a bloom filter of Hudi")

// A Bloom is a filter of record keys that Hudi wrote, in the form of Hadoop's:
// rows of bits, any of which may have a key.
type Bloom struct {
	rows []bloomRow
}

type bloomRow struct {
	bits   []byte
	size   int32
	hashes int
	hash   func(b []byte, seed int32) int32
}

// ReadBloom reads a filter from its Base64 text. An empty type is BloomSimple,
// which is all that early releases wrote.
func ReadBloom(typ, text string) (*Bloom, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBloom, err)
	}
	r := &bloomReader{rest: b}
	f := &Bloom{}
	switch typ {
	case BloomSimple, "":
		f.rows = append(f.rows, r.row())
	case BloomDynamic:
		r.header()
		r.int()
		r.int()
		n := r.int()
		if r.err == nil && (n < 1 || int(n) > len(b)) {
			r.err = errBloom
		}
		for i := int32(0); i < n && r.err == nil; i++ {
			f.rows = append(f.rows, r.row())
		}
	default:
		return nil, fmt.Errorf("%w: type %q; %s and %s are known", errBloom, typ, BloomSimple, BloomDynamic)
	}
	if r.err != nil {
		return nil, r.err
	}
	return f, nil
}

// FileBloom reads the filter in the footer of a base file; nil without one.
func FileBloom(f *parquet.File) (*Bloom, error) {
	text, ok := f.KeyValue(BloomKey)
	if !ok {
		text, ok = f.KeyValue(OldBloomKey)
	}
	if !ok {
		return nil, nil
	}
	typ, _ := f.KeyValue(BloomTypeKey)
	b, err := ReadBloom(typ, text)
	if err != nil {
		return nil, fmt.Errorf("%s: footer: %w", f.Name(), err)
	}
	return b, nil
}

// Has tells whether a record key may be in the file.
func (f *Bloom) Has(key string) bool {
	if key == "" {
		return true
	}
	for i := range f.rows {
		if f.rows[i].has([]byte(key)) {
			return true
		}
	}
	return false
}

func (r *bloomRow) has(key []byte) bool {
	seed := int32(0)
	for range r.hashes {
		seed = r.hash(key, seed)
		at := seed % r.size
		if at < 0 {
			at = -at
		}
		if r.bits[at/8]>>(at%8)&1 == 0 {
			return false
		}
	}
	return true
}

type bloomReader struct {
	rest []byte
	err  error
}

func (r *bloomReader) int() int32 {
	b := r.bytes(4)
	if b == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(b))
}

func (r *bloomReader) bytes(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.rest) {
		if r.err == nil {
			r.err = fmt.Errorf("%w: it ends early", errBloom)
		}
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// header reads what every filter begins with: a version, -1, the number of
// hashes, the hash function, the number of bits. The oldest form has no
// version.
func (r *bloomReader) header() bloomRow {
	hashes, kind := r.int(), byte(0)
	if hashes == -1 {
		hashes = r.int()
		if b := r.bytes(1); b != nil {
			kind = b[0]
		}
	}
	row := bloomRow{hashes: int(hashes), hash: jenkins, size: r.int()}
	if kind == 1 {
		row.hash = murmur
	}
	if r.err == nil && (hashes < 1 || hashes > 1000 || kind > 1 || row.size < 1) {
		r.err = errBloom
	}
	return row
}

func (r *bloomReader) row() bloomRow {
	row := r.header()
	if r.err == nil {
		row.bits = r.bytes(int((int64(row.size) + 7) / 8))
	}
	return row
}

// Keys of a base file as a container for the record key columns: the range of
// keys, and the Bloom filter.
type Keys struct {
	Min, Max string // "" = not known
	Bloom    *Bloom // nil = none
	// Column tells that a field holds the record key itself.
	Column func(f *Field) bool
}

// FileKeys reads the keys of a base file from its footer. column tells which
// fields hold the record key as it is in the footer: _hoodie_record_key, and
// the key field of tables with simple keys where it is a text.
func FileKeys(f *parquet.File, column func(*Field) bool) (Keys, error) {
	b, err := FileBloom(f)
	low, _ := f.KeyValue(MinKeyKey)
	high, _ := f.KeyValue(MaxKeyKey)
	return Keys{Min: low, Max: high, Bloom: b, Column: column}, err
}

// Stats gives the range of keys, which Java compared.
func (k Keys) Stats(f *Field) Stats {
	if f.domain.order != orderText || !k.Column(f) {
		return Stats{}
	}
	s := Stats{NoNulls: true}
	if k.Min != "" && k.Max != "" {
		s.Min, s.Max = javaLow(String(k.Min)), javaHigh(String(k.Max))
	}
	return s
}

// Excludes asks the Bloom filter.
func (k Keys) Excludes(f *Field, v Value) bool {
	return k.Bloom != nil && f.domain.order == orderText && k.Column(f) && v.kind == KindString && !k.Bloom.Has(v.text)
}
