package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
)

// played writes down when something was shown.
type played struct {
	began time.Time
	log   strings.Builder
}

func (p *played) Write(b []byte) (int, error) {
	fmt.Fprintf(&p.log, "%v %s;", time.Since(p.began), b)
	return len(b), nil
}

// TestPlayer plays a recording to somebody who types keys at times.
func TestPlayer(t *testing.T) {
	const recording = `{"version":2,"width":80,"height":24}
[1,"o","a"]
[2,"r","90x30"]
[3,"o","b"]
[4,"m","turn"]
[10,"o","c"]
`
	type key struct {
		after time.Duration // the one before
		key   byte
	}
	for _, test := range []struct {
		name string
		p    player
		keys []key
		want string
		err  error
	}{
		{name: "as it was", want: "1s a;3s b;10s c;"},
		{name: "faster", p: player{speed: 2}, want: "500ms a;1.5s b;5s c;"},
		{name: "slower", p: player{speed: .5}, want: "2s a;6s b;20s c;"},
		{name: "idle limit", p: player{idleLimit: 1500 * time.Millisecond}, want: "1s a;2.5s b;5s c;"},
		{name: "idle limit, faster", p: player{speed: 2, idleLimit: 1500 * time.Millisecond}, want: "500ms a;1.25s b;2.5s c;"},
		{name: "stop", keys: []key{{2 * time.Second, ' '}, {5 * time.Second, ' '}}, want: "1s a;8s b;15s c;"},
		{name: "step", keys: []key{{2 * time.Second, ' '}, {time.Second, '.'}, {time.Second, ' '}}, want: "1s a;3s b;11s c;"},
		{name: "no step without a stop", keys: []key{{2 * time.Second, '.'}}, want: "1s a;3s b;10s c;"},
		{name: "to the mark", keys: []key{{500 * time.Millisecond, ']'}}, want: "500ms a;500ms b;6.5s c;"},
		{name: "to the mark from a stop", keys: []key{{0, ' '}, {time.Second, ']'}}, want: "1s a;1s b;7s c;"},
		{name: "q", keys: []key{{2 * time.Second, 'q'}}, want: "1s a;"},
		{name: "^C in a stop", keys: []key{{2 * time.Second, ' '}, {time.Hour, ctrlC}}, want: "1s a;", err: exitStatus(130)},
		{name: "another key", keys: []key{{2 * time.Second, 'x'}}, want: "1s a;3s b;10s c;"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, out := test.p, &played{began: time.Now()}
				if p.speed == 0 {
					p.speed = 1
				}
				var err error
				if p.events, err = cast.NewReader(bufio.NewReader(strings.NewReader(recording))); err != nil {
					t.Fatal(err)
				}
				typed := make(chan byte, len(test.keys))
				p.out, p.keys = out, typed
				go func() { // ends with the last key
					for _, k := range test.keys {
						time.Sleep(k.after)
						typed <- k.key
					}
				}()
				if err := p.play(); err != test.err {
					t.Errorf("got %v, want %v", err, test.err)
				}
				if got := out.log.String(); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
			})
		})
	}
}

// A sleeper sleeps for an hour before it writes what comes first, as we do who are stopped.
type sleeper struct {
	*played
	rested bool
}

func (s *sleeper) Write(b []byte) (int, error) {
	if !s.rested {
		s.rested = true
		time.Sleep(time.Hour)
	}
	return s.played.Write(b)
}

// TestPlayerAsleep: after a long sleep a recording goes on as slowly as before.
func TestPlayerAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const recording = "{\"version\":2,\"width\":80,\"height\":24}\n[1,\"o\",\"a\"]\n[2,\"o\",\"b\"]\n[5,\"o\",\"c\"]\n"
		r, err := cast.NewReader(bufio.NewReader(strings.NewReader(recording)))
		if err != nil {
			t.Fatal(err)
		}
		out := &sleeper{played: &played{began: time.Now()}}
		p := player{events: r, out: out, speed: 1}
		if err := p.play(); err != nil {
			t.Fatal(err)
		}
		if got, want := out.log.String(), "1h0m1s a;1h0m1s b;1h0m4s c;"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestPlayerInterrupted ends a recording with ^C while it waits for what comes next.
func TestPlayerInterrupted(t *testing.T) {
	r, err := cast.NewReader(bufio.NewReader(strings.NewReader("{\"version\":2,\"width\":80,\"height\":24}\n[1000,\"o\",\"a\"]\n")))
	if err != nil {
		t.Fatal(err)
	}
	typed := make(chan byte, 1)
	typed <- ctrlC
	p := player{events: r, out: new(played), speed: 1, keys: typed}
	if err := p.play(); err != exitStatus(130) {
		t.Errorf("got %v, want status 130", err)
	}
}

// TestPlayerSignal ends a recording with a signal.
func TestPlayerSignal(t *testing.T) {
	r, err := cast.NewReader(bufio.NewReader(strings.NewReader("{\"version\":2,\"width\":80,\"height\":24}\n[1000,\"o\",\"a\"]\n")))
	if err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	p := player{events: r, out: new(played), speed: 1, signals: signals}
	if err := p.play(); err != exitStatus(143) {
		t.Errorf("got %v, want status 143", err)
	}
}

// TestPlayerWaits ends recordings in which nothing comes that could be shown.
func TestPlayerWaits(t *testing.T) {
	const header = "{\"version\":2,\"width\":80,\"height\":24}\n"
	for name, open := range map[string]func() io.Reader{
		"a pipe that is silent": func() io.Reader {
			r, w := io.Pipe()
			t.Cleanup(func() { w.Close() })
			go io.WriteString(w, header) // returns when it was read
			return r
		},
		"what was typed, without end": func() io.Reader {
			return io.MultiReader(strings.NewReader(header), endless("[0,\"i\",\"x\"]\n"))
		},
	} {
		play := func(keys <-chan byte, signals <-chan os.Signal) error {
			r, err := cast.NewReader(bufio.NewReader(open()))
			if err != nil {
				t.Fatal(name, err)
			}
			p := player{events: r, out: new(played), speed: 1, keys: keys, signals: signals}
			return p.play()
		}
		typed := make(chan byte, 2)
		typed <- ' '
		typed <- 'q'
		if err := play(typed, nil); err != nil {
			t.Errorf("%s: q: %v", name, err)
		}
		typed <- ctrlC
		if err := play(typed, nil); err != exitStatus(130) {
			t.Errorf("%s: ^C: got %v, want status 130", name, err)
		}
		signals := make(chan os.Signal, 1)
		signals <- syscall.SIGTERM
		if err := play(nil, signals); err != exitStatus(143) {
			t.Errorf("%s: got %v, want status 143", name, err)
		}
	}
}

// endless is a Reader of a line, over and over.
type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}
