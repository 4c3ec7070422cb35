package main

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A reader takes its time for a write, until the test is over.
type reader struct {
	time time.Duration
	over <-chan struct{}
	got  strings.Builder
}

func (r *reader) Write(p []byte) (int, error) {
	select {
	case <-time.After(r.time):
	case <-r.over:
	}
	return r.got.Write(p)
}

// What is finished is all that was written before, and the last line of it,
// however slow the reader is. What others still write does not delay that.
func TestOutputFinish(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []string // written by the command
		after  string   // by others, when it has ended
		reads  time.Duration
		want   string
		took   time.Duration
	}{
		{"nothing", nil, "", 0, "", 0},
		{"a line without an end", []string{"a\nb"}, "", 0, "a\nb", 0},
		{"slow", []string{"a\n", "b"}, "", time.Hour, "a\nb", time.Hour},
		{"others, while it reads", []string{"a\n"}, "x\n", 100 * time.Millisecond, "a\nx\n", 100 * time.Millisecond},
		{"others, while it does not", []string{"a\n"}, "x\n", time.Hour, "a\n", 250 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &reader{time: test.reads, over: t.Context().Done()}
				o := newOutput(r, r, core.RenderText, nil)
				go o.run(new(console))
				for _, p := range test.before {
					o.write("", 1, []byte(p))
				}
				if test.after != "" {
					go o.write("", 1, []byte(test.after))
					synctest.Wait()
				}
				start := time.Now()
				o.finish()
				if took := time.Since(start); took != test.took {
					t.Errorf("finish took %v, want %v", took, test.took)
				}
				o.write("", 1, []byte("too late\n"))
				if got := r.got.String(); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
}

// The last line is passed on also where who writes it has no turn for long.
func TestOutputFinishWithoutATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutput(nil, nil, core.RenderText, nil)
		flushed := false
		o.flushes = []func() error{func() error { flushed = true; return nil }}
		time.AfterFunc(time.Minute, func() { o.run(new(console)) })
		if o.finish(); !flushed {
			t.Error("the last line was given up")
		}
	})
}

// Who does not read at all can be given up, at any time.
func TestOutputGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{time: time.Hour, over: t.Context().Done()}
		o := newOutput(r, r, core.RenderRaw, nil)
		go o.run(new(console))
		var writing sync.WaitGroup
		writing.Go(func() { o.write("", 1, []byte("x")) })
		synctest.Wait()
		o.giveUp()
		writing.Wait()
		o.finish()
	})
}

func TestOutputText(t *testing.T) {
	var stdout, stderr strings.Builder
	o := newOutput(&stdout, &stderr, core.RenderText, nil)
	go o.run(new(console)) // until finish
	for _, p := range []string{"\x1b[31mone\r", "\n 1%\r", "99%\xe2\x82", "\xac\n", "no end\xff"} {
		o.write("", 1, []byte(p))
		o.write("", 2, []byte("e"))
	}
	if got, want := stdout.String(), "one\n99%€\n"; got != want {
		t.Errorf("got %q before the end, want %q", got, want)
	}
	o.finish()
	if got, want := stdout.String(), "one\n99%€\nno end\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := stderr.String(), "eeeee"; got != want {
		t.Errorf("got %q on standard error, want %q", got, want)
	}
}

func TestOutputScreen(t *testing.T) {
	var stdout, stderr strings.Builder
	o := newOutput(&stdout, &stderr, core.RenderScreen, &core.Command{Rows: 3, Cols: 8})
	go o.run(new(console)) // until finish
	for _, p := range []string{"one\n10%\n", "\x1b[A100%\xe2\x82", "\xac\n", "a long line\n", "\xff"} {
		o.write("", 1, []byte(p))
	}
	o.resize(4, 20)
	o.write("", 2, []byte("e\xe2\x82"))
	if got, want := stdout.String(), "one\n100%€\n"; got != want {
		t.Errorf("got %q before the end, want %q", got, want)
	}
	o.finish()
	if got, want := stdout.String(), "one\n100%€\na long line\n\ufffde\ufffd\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if stderr.Len() > 0 {
		t.Errorf("got %q on standard error, want nothing", stderr.String())
	}
}

type brokenWriter struct{ writes int }

var errBroken = errors.New("broken")

func (w *brokenWriter) Write([]byte) (int, error) {
	w.writes++
	return 0, errBroken
}

func TestOutputBroken(t *testing.T) {
	w := new(brokenWriter)
	o := newOutput(w, w, core.RenderRaw, nil)
	defer o.finish()
	go o.run(new(console))
	if err := o.result(); err != nil {
		t.Errorf("got error %v before the first write", err)
	}
	for range 3 {
		o.write("", 1, []byte("x"))
	}
	<-o.broken
	if err := o.result(); err != errBroken || w.writes != 1 {
		t.Errorf("got error %v after %d writes, want %v after 1", err, w.writes, errBroken)
	}
}
