package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/schollz/progressbar/v3"

	"github.com/hudi-go/hudi/internal/batch"
)

// progressDelay is how long work takes before it shows progress.
const progressDelay = time.Second

// progress shows on a terminal what long work has read so far.
type progress struct {
	stats *statsLog
	done  chan struct{}
	wait  sync.WaitGroup
	once  sync.Once
	clear bool // the output goes to the terminal too: the first batch ends it
}

// startProgress starts to show progress if standard error is a terminal.
func startProgress(e *Env, out *output, stats *statsLog) *progress {
	p := &progress{stats: stats, done: make(chan struct{})}
	if _, ok := terminal(e.Stderr); !ok || !e.color(e.Stderr) {
		return p
	}
	_, visible := terminal(e.Stdout)
	p.clear = visible && out.temp == nil
	p.wait.Go(func() { p.run(e) })
	return p
}

func (p *progress) run(e *Env) {
	select {
	case <-p.done:
		return
	case <-time.After(progressDelay):
	}
	bar := progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(e.Stderr),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish())
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		rows, bytes := p.stats.read()
		bar.Describe(fmt.Sprintf("%d rows, %s read", rows, bytesText(bytes)))
		bar.Add(1)
		select {
		case <-p.done:
			bar.Finish()
			bar.Clear()
			return
		case <-tick.C:
		}
	}
}

// stop takes the progress off the screen.
func (p *progress) stop() {
	p.once.Do(func() { close(p.done) })
	p.wait.Wait()
}

// watch stops the progress when rows begin to appear on the same screen.
func (p *progress) watch(r batch.Reader) batch.Reader { return &watched{r, p} }

type watched struct {
	batch.Reader
	p *progress
}

// Next gives the next batch.
func (w *watched) Next() (arrow.RecordBatch, error) {
	b, err := w.Reader.Next()
	if err != nil || w.p.clear {
		w.p.stop()
	}
	return b, err
}
