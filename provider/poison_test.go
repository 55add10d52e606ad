package provider_test

import (
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// poisoning is an allocator that gives memory that is not clear, spoils what is
// freed, and checks that nothing is freed twice.
type poisoning struct {
	memory.Allocator
	t    *testing.T
	mu   sync.Mutex
	live map[*byte]bool
}

func (p *poisoning) Allocate(n int) []byte {
	b := p.Allocator.Allocate(n)
	p.note(b, true)
	spoil(b)
	return b
}

func (p *poisoning) note(b []byte, live bool) {
	if cap(b) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := &b[:1][0]
	if !live && !p.live[at] {
		p.t.Error("freed twice")
	}
	p.live[at] = live
}

func (p *poisoning) Reallocate(n int, b []byte) []byte {
	if n <= cap(b) {
		return b[:n]
	}
	out := p.Allocate(n)
	copy(out, b)
	p.Free(b)
	return out
}

func (p *poisoning) Free(b []byte) {
	p.note(b, false)
	spoil(b)
}

func spoil(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = 0xa5
	}
}

// TestChangesOwnTheirMemory reads changes with an allocator that spoils what is
// freed too early.
func TestChangesOwnTheirMemory(t *testing.T) {
	for _, name := range []string{"v9/cdc_data_before_after_mor", "v8/cdc_data_before_cow", "v9/cdc_op_key_only_mor", "v9/all_types_mor"} {
		dir := tabletest.Open(t, name)
		for _, q := range []provider.Query{
			{Type: provider.CDC, CDCText: true}, {Type: provider.CDC}, {Type: provider.Incremental, Deletes: true, Meta: true},
		} {
			want, err := answer(dir, q, provider.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := answer(dir, q, provider.Options{Allocator: &poisoning{Allocator: memory.DefaultAllocator, t: t, live: map[*byte]bool{}}})
			if err != nil {
				t.Fatal(err)
			}
			if d := want.diff(got, false); d != "" {
				t.Errorf("%s, %s: %s", name, q.Type, d)
			}
		}
	}
}
