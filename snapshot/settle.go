package snapshot

import (
	"context"
	"errors"
	"time"

	"github.com/hudi-go/hudi/internal/storage"
)

// ErrUnwritten is a commit whose file is empty: it is only just completing, or
// its writer died at that.
var ErrUnwritten = errors.New("the file is empty")

// Writers make a file of the timeline under another name and rename it where a
// name shows before its bytes do: on HDFS, but on a local or mounted file
// system only those of late (HoodieStorage.needCreateTempFile). So a file that
// is empty or ends early may only just be written. It is read again for
// firstPause, twice that and so on, pauses times in the life of a timeline:
// about a sixth of a second, where a write takes a thousandth.
const (
	firstPause = 5 * time.Millisecond
	pauses     = 5
)

// settle reads a file of the timeline until decode takes what it holds, or it
// was waited for long enough.
func (t *Timeline) settle(ctx context.Context, file string, decode func([]byte) error) error {
	for {
		data, err := storage.ReadFile(ctx, t.st, file)
		if err != nil {
			return err
		}
		err = decode(data)
		if err == nil || !t.pause(ctx) {
			return err
		}
	}
}

// pause waits, if it was not done too often.
func (t *Timeline) pause(ctx context.Context) bool {
	n := t.paused.Add(1)
	if n > pauses {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(firstPause << (n - 1)):
		return true
	}
}
