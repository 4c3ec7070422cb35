package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// That a slow reader has all the time it wants is tested in tests/cli: virtual
// time stands still while somebody waits for a mutex.
func TestOutputFinish(t *testing.T) {
	for _, test := range []struct {
		name   string
		every  time.Duration // between two writes
		writes int
		ended  bool
		want   time.Duration // that finish takes
	}{
		{name: "at the end of output", ended: true},
		{name: "after silence", want: 20 * time.Millisecond},
		{name: "a pause is no silence", every: 10 * time.Millisecond, writes: 5, want: 80 * time.Millisecond},
		{name: "not for ever", every: 10 * time.Millisecond, writes: 1000, want: 260 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w bytes.Buffer
				o := newOutput(&w, &w, core.RenderRaw, nil)
				ended := make(chan struct{})
				if test.ended {
					close(ended)
				}
				start := time.Now()
				go func() {
					for range test.writes {
						time.Sleep(test.every)
						o.write("", 1, []byte("x"))
					}
				}()
				synctest.Wait()
				o.finish(ended)
				if got := time.Since(start); got != test.want {
					t.Errorf("finish took %v, want %v", got, test.want)
				}
				written := w.Len()
				time.Sleep(time.Minute) // lets the writer end
				if w.Len() != written {
					t.Error("got output after finish")
				}
			})
		})
	}
}

func TestOutputText(t *testing.T) {
	var stdout, stderr strings.Builder
	o := newOutput(&stdout, &stderr, core.RenderText, nil)
	for _, p := range []string{"\x1b[31mone\r", "\n 1%\r", "99%\xe2\x82", "\xac\n", "no end\xff"} {
		o.write("", 1, []byte(p))
		o.write("", 2, []byte("e"))
	}
	if got, want := stdout.String(), "one\n99%€\n"; got != want {
		t.Errorf("got %q before the end, want %q", got, want)
	}
	over := make(chan struct{})
	close(over)
	o.finish(over)
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
	for _, p := range []string{"one\n10%\n", "\x1b[A100%\xe2\x82", "\xac\n", "a long line\n", "\xff"} {
		o.write("", 1, []byte(p))
	}
	o.resize(4, 20)
	o.write("", 2, []byte("e\xe2\x82"))
	if got, want := stdout.String(), "one\n100%€\n"; got != want {
		t.Errorf("got %q before the end, want %q", got, want)
	}
	over := make(chan struct{})
	close(over)
	o.finish(over)
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
