package remote

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// A speech is frames as a fuzz target is given them: a kind, two bytes of length, a body. Their
// numbers are those that an honest side would give them, since others are refused at once.
type speech []byte

func (s speech) add(k kind, body []byte) speech {
	s = append(s, byte(k))
	s = binary.BigEndian.AppendUint16(s, uint16(len(body)))
	return append(s, body...)
}

func add[T any, M wire.Message[T]](s speech, k kind, m M) speech {
	return s.add(k, wire.Append(nil, m))
}

// next returns the next frame.
func (s *speech) next() (f frame, ok bool) {
	if len(*s) < 3 {
		return frame{}, false
	}
	f.kind = kind((*s)[0])
	n := min(int(binary.BigEndian.Uint16((*s)[1:])), len(*s)-3)
	f.body, *s = (*s)[3:3+n], (*s)[3+n:]
	return f, true
}

// hear has a link take a speech, until it has heard enough.
func (s speech) hear(l *link, each func()) error {
	turn, _ := l.begin()
	if err := l.resume(turn, 0); err != nil {
		return err
	}
	for number := uint64(1); ; number++ {
		f, ok := s.next()
		if !ok {
			return nil
		}
		if err := l.take(turn, received{frame: f, number: number}); err != nil {
			return err
		}
		each()
	}
}

// Whatever a far side says, what is kept of it is bounded, an exit is one that can be, and when it
// is lost nobody waits any longer.
func FuzzFarSays(f *testing.F) {
	s := add(speech{}, kindResolved, &resolved{ID: 1, Found: someFound()})
	s = add(s, kindStarted, &started{ID: 2, Credit: minWindow})
	s = add(s, kindOutput, &output{2, 1, []byte("out")})
	s = add(s, kindOutput, &output{2, 2, []byte("err")})
	s = add(s, kindWritten, &written{Terminal: 2, Call: 1, Bytes: 1})
	s = add(s, kindCredit, &credit{2, 100})
	s = add(s, kindDone, &done{ID: 3})
	s = add(s, kindExited, &exited{2, exit{Usage: core.Usage{UserTime: 1}}, 5})
	s = add(s, kindPassed, &passed{2})
	s = add(s, kindOutputEnd, &outputEnd{2, &failure{Text: "broken", Op: "read", Is: 2}})
	s = add(s, kindDone, &done{ID: 4})
	f.Add([]byte(s))
	f.Add([]byte(add(speech{}, kindEnd, &end{"bye"})))
	f.Fuzz(func(t *testing.T, p []byte) {
		h := newHost(Config{})
		process := newProcess(h, &core.Command{})
		for i, k := range []kind{kindResolve, kindStart, kindSignal, kindClose} {
			h.last++
			h.calls[h.last] = &call{kind: k, process: process, done: make(chan struct{})}
			if i == 1 {
				process.id = h.last
				h.terminals[h.last] = process
			}
		}
		process.newCall()
		process.noteSent(1)
		err := speech(p).hear(h.link, func() {
			if n := process.waiting; n > maxWindow || process.input.left > maxWindow {
				t.Errorf("got %d bytes of output, and credit of %d", n, process.input.left)
			}
		})
		if err == nil {
			err = errors.New("the end")
		}
		h.lose(err)
		process.Output(func(stream uint8, p []byte) {
			if stream != 1 && stream != 2 || len(p) == 0 {
				t.Errorf("got %d bytes on stream %d", len(p), stream)
			}
		})
		if e, err := process.Wait(); err == nil {
			if x := exit(e); !x.possible() {
				t.Errorf("got exit %+v", e)
			}
		}
		if _, err := process.Write([]byte("x")); err == nil {
			t.Error("Write: got nil, want an error")
		}
		process.Close()
	})
}

// Whatever a near side says, what it has started is closed when its session has ended.
func FuzzNearSays(f *testing.F) {
	s := add(speech{}, kindResolve, &resolve{ID: 1, Command: command{
		Command: "sh", Args: []string{"-c", "x"}, Env: []core.EnvVariable{{Name: "A", Value: "b"}}, Cwd: "/",
		Roots: []string{"/"}, Bounds: &core.Bounds{Sandbox: "off", Net: []string{"a"}}, Interactive: true, Rows: 24, Cols: 80,
	}})
	s = add(s, kindStart, &start{ID: 2, Within: 1 << 40, Resolved: 1, Credit: minWindow})
	s = add(s, kindWrite, &write{2, 1, []byte("in")})
	s = add(s, kindResize, &resize{3, 2, 24, 80})
	s = add(s, kindSignal, &signal{4, 2, "SIGTERM"})
	s = add(s, kindCloseInput, &operation{5, 2})
	s = add(s, kindCredit, &credit{2, 100})
	s = add(s, kindCancel, &cancel{2})
	s = add(s, kindClose, &operation{6, 2})
	f.Add([]byte(s))
	f.Add([]byte(add(speech{}, kindEnd, &end{"bye"})))
	f.Fuzz(func(t *testing.T, p []byte) {
		host := &fakeHost{}
		server := NewServer(ServerConfig{Host: host})
		session, _ := server.admit(&nearHello{Oldest: 1, Newest: 1, Attempt: 1})
		err := speech(p).hear(session.link, session.work.Wait) // what was asked for is done
		session.end(err)
		for _, p := range host.all() {
			select {
			case <-p.closed:
			default:
				t.Error("a command runs on")
			}
		}
		if session.pool.n != 0 || session.pool.free != growth {
			t.Errorf("got %d windows and %d bytes to grow, want 0 and %d", session.pool.n, session.pool.free, growth)
		}
		server.Close()
	})
}

// Whatever comes on a connection, its frames cost no more than what has come.
func FuzzFrames(f *testing.F) {
	f.Add((&frame{kindOutput, []byte("body")}).appendTo(nil, 1, 2), uint8(3))
	f.Add([]byte{0, 0, 0xff, 0xff, 1}, uint8(1))
	f.Fuzz(func(t *testing.T, p []byte, piece uint8) {
		r := &frameReader{r: &slowReader{p, 1 + int(piece)}}
		var again []byte
		for {
			x, err := r.next()
			if len(r.buf) > 2*len(p)+2*usualBuffer {
				t.Fatalf("got a buffer of %d bytes for %d", len(r.buf), len(p))
			}
			if err != nil {
				break
			}
			again = x.appendTo(again, x.number, x.taken)
		}
		if !bytes.HasPrefix(p, again) {
			t.Errorf("got frames %x, want what there was: %x", again, p)
		}
	})
}

// slowReader is a reader that returns at most so many bytes at once.
type slowReader struct {
	p    []byte
	most int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.p) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.most)], r.p)
	r.p = r.p[n:]
	return n, nil
}
