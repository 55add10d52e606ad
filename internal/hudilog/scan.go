package hudilog

import (
	"context"
	"fmt"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/hudi-go/hudi/internal/guard"
	"github.com/hudi-go/hudi/internal/storage"
)

// scanFiles is how many files' headers are read at a time.
const scanFiles = 8

// Scan reads the headers of inline log files, given in the order of [Compare],
// and gives the blocks to merge, in merge order. The files must stay open
// while contents are read. Slices with native logs use [Blocks] and [Select].
func Scan(ctx context.Context, files []storage.File, v Visibility) ([]*Block, error) {
	perFile := make([][]*Block, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(scanFiles)
	for i, f := range files {
		g.Go(func() (err error) {
			defer guard.Recover(&err)
			perFile[i], err = Blocks(ctx, f)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var all []*Block
	var infos []BlockInfo
	for _, blocks := range perFile {
		for _, b := range blocks {
			all = append(all, b)
			infos = append(infos, b.BlockInfo)
		}
	}
	chosen := Select(infos, v)
	selected := make([]*Block, len(chosen))
	for i, at := range chosen {
		selected[i] = all[at]
	}
	return selected, nil
}

const (
	// defaultWindow is how many bytes of content Contents reads at once.
	defaultWindow = 8 << 20
	// maxGap is how much that is not wanted may lie between two contents that
	// are read together: the second one's header, say.
	maxGap = 64 << 10
)

// Contents yields blocks one after the other with their content in memory, so
// that [Block.Content] and [Block.Section] cost nothing. Contents that lie side
// by side in a file are read together, up to window bytes at once (0 = 8 MiB).
// A content is let go when the next block is asked for. After an error it ends.
func Contents(ctx context.Context, blocks []*Block, window int64) iter.Seq2[*Block, error] {
	if window <= 0 {
		window = defaultWindow
	}
	return func(yield func(*Block, error) bool) {
		for len(blocks) > 0 {
			n := adjacent(blocks, window)
			if err := load(ctx, blocks[:n]); err != nil {
				yield(nil, err)
				return
			}
			for _, b := range blocks[:n] {
				ok := yield(b, nil)
				b.content = nil
				if !ok {
					return
				}
			}
			blocks = blocks[n:]
		}
	}
}

// adjacent tells how many of the blocks lie side by side in one file, within
// window bytes.
func adjacent(blocks []*Block, window int64) int {
	first, n := blocks[0], 1
	for ; n < len(blocks); n++ {
		last, b := blocks[n-1], blocks[n]
		gap := b.ContentOffset - last.ContentOffset - last.ContentLength
		if b.file != first.file || gap < 0 || gap > maxGap ||
			b.ContentOffset+b.ContentLength-first.ContentOffset > window {
			break
		}
	}
	return n
}

// load reads the contents of adjacent blocks.
func load(ctx context.Context, blocks []*Block) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	missing := false
	for _, b := range blocks {
		missing = missing || b.content == nil
	}
	if !missing {
		return nil
	}
	first, last := blocks[0], blocks[len(blocks)-1]
	span := make([]byte, last.ContentOffset+last.ContentLength-first.ContentOffset)
	if err := readFull(first.file, span, first.ContentOffset); err != nil {
		return fmt.Errorf("log file %s: %w", first.File, err)
	}
	for _, b := range blocks {
		at := b.ContentOffset - first.ContentOffset
		b.content = span[at : at+b.ContentLength : at+b.ContentLength]
	}
	return nil
}
