package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// A speaker is a side of our making: it says what a test wants it to.
type speaker struct {
	t    *testing.T
	conn net.Conn
	sent uint64
	in   chan received // what the other side says, but keep-alives; closed at the end
}

// listen reads what the other side says.
func (s *speaker) listen() {
	defer close(s.in)
	r := &frameReader{r: s.conn}
	for {
		f, err := r.next()
		if err != nil {
			return
		}
		f.body = bytes.Clone(f.body)
		if f.number > 0 {
			s.in <- f
		}
	}
}

// write writes a frame. An error is that the other side has heard enough.
func (s *speaker) write(k kind, body []byte) {
	s.sent++
	s.conn.Write((&frame{k, body}).appendTo(nil, s.sent, 0))
}

func say[T any, M wire.Message[T]](s *speaker, k kind, m M) { s.write(k, wire.Append(nil, m)) }

// await waits for a frame of a kind, and decodes it.
func await[T any, M wire.Message[T]](s *speaker, k kind, m M) {
	s.t.Helper()
	for f := range s.in {
		if f.kind == k {
			if err := read(k, f.body, m); err != nil {
				s.t.Error(err)
			}
			return
		}
	}
	s.t.Errorf("the other side ended before it sent a frame of kind %d", k)
}

// newFarSpeaker returns a host whose far side is a speaker, which has started a command if it is
// asked for one.
func newFarSpeaker(t *testing.T, c Config) (*Host, *speaker) {
	t.Helper()
	near, far := net.Pipe()
	s := &speaker{t: t, conn: far, in: make(chan received, 100)}
	dials := 0
	c.Dial = func(context.Context) (io.ReadWriteCloser, error) {
		if dials++; dials > 1 {
			return nil, errors.New("dialed again")
		}
		return near, nil
	}
	go func() { // ends with the connection
		var hello nearHello
		if err := readHello(far, fromNear, &hello); err != nil {
			t.Error(err)
		}
		writeHello(far, fromFar, &farHello{Version: version})
		s.listen()
	}()
	h, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, s
}

func someFound() found {
	return found{Path: "/bin/sh", Argv: []string{"sh"}, Via: core.ViaArgs, Cwd: "/"}
}

// start has the near side start a command, as terminal 2.
func (s *speaker) start(h *Host, credit int64) *process {
	s.t.Helper()
	got := make(chan *process)
	go func() { // ends when it is started
		e, err := h.Resolve(s.t.Context(), core.Command{Command: "sh", Interactive: true})
		if err != nil {
			s.t.Error(err)
		}
		p, err := h.Start(s.t.Context(), e)
		if err != nil {
			s.t.Error(err)
		}
		got <- p.(*process)
	}()
	var r resolve
	await(s, kindResolve, &r)
	say(s, kindResolved, &resolved{ID: r.ID, Found: someFound()})
	var m start
	await(s, kindStart, &m)
	say(s, kindStarted, &started{ID: m.ID, Credit: credit})
	return <-got
}

// What the far side says that can't be ends the session with one line, and its commands are lost.
func TestHostileFarSide(t *testing.T) {
	const terminal = 2
	data := make([]byte, maxData)
	for name, x := range map[string]struct {
		want string
		do   func(s *speaker)
	}{
		"an unknown kind":    {"kind 99", func(s *speaker) { s.write(99, nil) }},
		"a request":          {"kind 2", func(s *speaker) { say(s, kindStart, &start{ID: 9}) }},
		"nonsense":           {"kind 15", func(s *speaker) { s.write(kindExited, []byte{0x80}) }},
		"a long frame":       {"a frame of", func(s *speaker) { s.conn.Write(bytes.Repeat([]byte{0xff}, 100)) }},
		"a short frame":      {"a frame of", func(s *speaker) { s.conn.Write(make([]byte, 100)) }},
		"a number of none":   {"number 0", func(s *speaker) { s.conn.Write((&frame{kindPassed, []byte{4}}).appendTo(nil, 0, 0)) }},
		"taken unsent":       {"it has taken frame 99", func(s *speaker) { s.conn.Write((&frame{kind: kindAlive}).appendTo(nil, 0, 99)) }},
		"an unknown request": {"request 77", func(s *speaker) { say(s, kindDone, &done{ID: 77}) }},
		"a second answer":    {"request 1", func(s *speaker) { say(s, kindResolved, &resolved{ID: 1, Found: someFound()}) }},
		"an unknown terminal": {"terminal 88", func(s *speaker) {
			say(s, kindOutput, &output{88, 1, []byte("x")})
		}},
		"output over credit": {"more output than", func(s *speaker) {
			for range maxWindow/maxData + 1 {
				say(s, kindOutput, &output{terminal, 1, data[:minWindow]})
			}
		}},
		"much output":    {"70000 bytes", func(s *speaker) { say(s, kindOutput, &output{terminal, 1, make([]byte, 70000)}) }},
		"no output":      {"0 bytes", func(s *speaker) { say(s, kindOutput, &output{terminal, 1, nil}) }},
		"another stream": {"stream 3", func(s *speaker) { say(s, kindOutput, &output{terminal, 3, []byte("x")}) }},
		"output at the end": {"after its end", func(s *speaker) {
			say(s, kindOutputEnd, &outputEnd{Terminal: terminal})
			say(s, kindOutput, &output{terminal, 1, []byte("x")})
		}},
		"two ends": {"second end", func(s *speaker) {
			say(s, kindOutputEnd, &outputEnd{Terminal: terminal})
			say(s, kindOutputEnd, &outputEnd{Terminal: terminal})
		}},
		"two exits": {"second exit", func(s *speaker) {
			say(s, kindExited, &exited{Terminal: terminal})
			say(s, kindExited, &exited{Terminal: terminal})
		}},
		"an exit code": {"exit that can't be", func(s *speaker) {
			say(s, kindExited, &exited{terminal, exit{Status: core.ExitStatus{ExitCode: 256}}, 0})
		}},
		"a signal's name": {"exit that can't be", func(s *speaker) {
			say(s, kindExited, &exited{terminal, exit{Status: core.ExitStatus{Signal: "SIG\x1b[2J"}}, 0})
		}},
		"a reason":        {"exit that can't be", func(s *speaker) { say(s, kindExited, &exited{terminal, exit{Reason: "\x1b[2J"}, 0}) }},
		"usage":           {"exit that can't be", func(s *speaker) { say(s, kindExited, &exited{terminal, exit{Usage: core.Usage{MaxRSS: -1}}, 0}) }},
		"pending":         {"-1 bytes", func(s *speaker) { say(s, kindExited, &exited{terminal, exit{}, -1}) }},
		"passed":          {"not awaited", func(s *speaker) { say(s, kindPassed, &passed{terminal}) }},
		"input credit":    {"bytes of input", func(s *speaker) { say(s, kindCredit, &credit{terminal, maxWindow}) }},
		"negative credit": {"bytes of input", func(s *speaker) { say(s, kindCredit, &credit{terminal, -1}) }},
		"no such write":   {"write that there is not", func(s *speaker) { say(s, kindWritten, &written{Terminal: terminal, Call: 1}) }},
		"a long error": {"too long", func(s *speaker) {
			say(s, kindOutputEnd, &outputEnd{terminal, &failure{Text: strings.Repeat("x", maxText+1)}})
		}},
		"its own end": {"ended it: so it is", func(s *speaker) { say(s, kindEnd, &end{"so it is"}) }},
	} {
		t.Run(name, func(t *testing.T) {
			told := make(chan State, 10)
			h, s := newFarSpeaker(t, Config{Lease: time.Minute, OnState: func(s State) { told <- s }})
			p := s.start(h, minWindow)
			x.do(s)
			select {
			case state := <-told:
				if text := state.Err.Error(); state.Link != Lost || !strings.Contains(text, x.want) || strings.Contains(text, "\n") {
					t.Errorf("got %v: %v, want it to be lost for %q", state.Link, state.Err, x.want)
				}
			case <-time.After(patience):
				t.Fatalf("after %v: the session goes on", patience)
			}
			if e, err := p.Wait(); err != nil || e.Reason == "" && !strings.Contains(name, "exits") {
				t.Errorf("got exit %+v, %v, want that it is lost", e, err)
			}
		})
	}
}

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// What a near side says that can't be ends its session, and kills what it runs.
func TestHostileNearSide(t *testing.T) {
	const terminal = 2
	for name, do := range map[string]func(s *speaker){
		"an unknown kind":     func(s *speaker) { s.write(99, nil) },
		"an answer":           func(s *speaker) { say(s, kindDone, &done{ID: 1}) },
		"nonsense":            func(s *speaker) { s.write(kindSignal, []byte{0x80}) },
		"a number twice":      func(s *speaker) { say(s, kindSignal, &signal{terminal, terminal, "SIGTERM"}) },
		"an unknown terminal": func(s *speaker) { say(s, kindSignal, &signal{9, 8, "SIGTERM"}); say(s, kindCredit, &credit{99, 1}) },
		"taken unsent":        func(s *speaker) { s.conn.Write((&frame{kind: kindAlive}).appendTo(nil, 0, 99)) },
		"input over credit": func(s *speaker) {
			for range 2 {
				say(s, kindWrite, &write{terminal, 1, make([]byte, minWindow-frameCost)})
			}
			say(s, kindWrite, &write{terminal, 1, make([]byte, maxData)})
		},
		"much input":    func(s *speaker) { say(s, kindWrite, &write{terminal, 1, make([]byte, maxData+1)}) },
		"output credit": func(s *speaker) { say(s, kindCredit, &credit{terminal, maxWindow + 1}) },
		"a size":        func(s *speaker) { say(s, kindResize, &resize{9, terminal, 0, 1 << 40}) },
		"many requests": func(s *speaker) {
			for id := range uint64(257) {
				say(s, kindResolve, &resolve{ID: 9 + id, Command: command{Command: "slow", Rows: 1, Cols: 1}})
			}
		},
		"two closes": func(s *speaker) {
			say(s, kindClose, &operation{9, terminal})
			say(s, kindClose, &operation{9, terminal})
		},
		"its end": func(s *speaker) { say(s, kindEnd, &end{"bye"}) },
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeHost{hangs: true}
			ended := make(chan error, 1)
			server := NewServer(ServerConfig{Host: f, OnSessionEnd: func(why error, _ int) { ended <- why }})
			defer server.Close()
			near, far := net.Pipe()
			go server.Serve(far) // ends with the connection
			s := greetServer(t, near, 1)
			say(s, kindResolve, &resolve{ID: 1, Command: command{Command: "sh", Interactive: true, Rows: 24, Cols: 80}})
			await(s, kindResolved, new(resolved))
			say(s, kindStart, &start{ID: terminal, Resolved: 1, Credit: minWindow})
			await(s, kindStarted, new(started))
			command := f.all()[0]
			command.mu.Lock()
			command.take = func([]byte) { <-command.closed } // it reads no input
			command.mu.Unlock()
			do(s)
			select {
			case err := <-ended:
				if !errors.Is(err, errBroken) && name != "its end" {
					t.Errorf("got %v, want %v", err, errBroken)
				}
			case <-time.After(patience):
				t.Fatalf("after %v: the session goes on", patience)
			}
			for _, p := range f.all() {
				<-p.closed
			}
		})
	}
}

// greetServer begins a session by hand.
func greetServer(t *testing.T, near net.Conn, attempt uint64) *speaker {
	t.Helper()
	hello := nearHello{Oldest: 1, Newest: 1, Session: sessionID{1}, Attempt: attempt}
	if err := writeHello(near, fromNear, &hello); err != nil {
		t.Fatal(err)
	}
	var answer farHello
	if err := readHello(near, fromFar, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Refusal != "" {
		t.Fatal(answer.Refusal)
	}
	s := &speaker{t: t, conn: near, in: make(chan received, 1000)}
	go s.listen() // ends with the connection
	return s
}

// What answers otherwise than with a hello is quoted, a part of it at the most.
func TestBanner(t *testing.T) {
	for _, x := range []struct{ said, want string }{
		{"Welcome to box!\r\nLast login: never\n", `it says "Welcome to box!\r\nLast login: never"`},
		{"bash: terrarium: command not found\n", `it says "bash: terrarium: command not found"`},
		{strings.Repeat("x", 100<<10), strings.Repeat("x", 500)},
		{"", "ended without a word"},
		{magic[:5], "ended in its hello"},
		{magic + "\xff\xff\x02", "a hello of 65534 bytes"},
		{magic + "\x00\x00\x02", "a hello of -1 bytes"},
		{magic + "\x00\x03\x02\x80\x80", "ends too soon"},
	} {
		_, err := Connect(t.Context(), Config{Dial: func(context.Context) (io.ReadWriteCloser, error) {
			near, far := net.Pipe()
			go func() { // ends with what it has to say
				io.CopyN(io.Discard, far, 1)
				go io.Copy(io.Discard, far)
				io.WriteString(far, x.said)
				far.Close()
			}()
			return near, nil
		}})
		if err == nil || !strings.Contains(err.Error(), x.want) || len(err.Error()) > 1000 {
			t.Errorf("%.40q: got error %v, want one that says %.40q", x.said, err, x.want)
		}
	}
	_, err := Connect(t.Context(), Config{Dial: func(context.Context) (io.ReadWriteCloser, error) {
		near, far := net.Pipe()
		go io.Copy(far, far) // ends with the connection
		return near, nil
	}})
	if err == nil || !strings.Contains(err.Error(), "sends back what it is sent") {
		t.Errorf("an echo: got error %v", err)
	}
}

// Hellos that a server refuses.
func TestRefused(t *testing.T) {
	server := NewServer(ServerConfig{Host: &fakeHost{}, MaxSessions: 1})
	defer server.Close()
	ask := func(h nearHello) farHello {
		near, far := net.Pipe()
		defer near.Close()
		go server.Serve(far) // ends with the connection
		var answer farHello
		if err := writeHello(near, fromNear, &h); err != nil {
			t.Fatal(err)
		}
		if err := readHello(near, fromFar, &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	good := nearHello{Oldest: 1, Newest: 1, Session: sessionID{1}, Attempt: 5}
	if got := ask(good); got.Refusal != "" {
		t.Fatalf("got refusal %q", got.Refusal)
	}
	for _, x := range []struct {
		want  string
		hello nearHello
	}{
		{"used before", good},
		{"used before", nearHello{Oldest: 1, Newest: 1, Session: sessionID{1}, Attempt: 4, Resume: true}},
		{"1 sessions already", nearHello{Oldest: 1, Newest: 1, Session: sessionID{2}, Attempt: 1}},
		{"forgotten", nearHello{Oldest: 1, Newest: 1, Session: sessionID{2}, Attempt: 1, Resume: true}},
		{"speaks versions", nearHello{Oldest: 2, Newest: 3, Session: sessionID{1}, Attempt: 6}},
		{"speaks versions", nearHello{Oldest: 0, Newest: 0, Session: sessionID{1}, Attempt: 6}},
	} {
		if got := ask(x.hello); !strings.Contains(got.Refusal, x.want) {
			t.Errorf("%+v: got refusal %q, want one that says %q", x.hello, got.Refusal, x.want)
		}
	}
	if got := ask(nearHello{Oldest: 1, Newest: 7, Session: sessionID{1}, Attempt: 6}); got.Refusal != "" || got.Version != 1 {
		t.Errorf("a newer near side: got %+v, want version 1", got)
	}
}
