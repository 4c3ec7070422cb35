package acpconn_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// scripted is a host whose commands do what a test says.
type scripted struct{ started chan *script }

func (scripted) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Path: "/bin/" + c.Command, Argv: []string{c.Command}, Via: core.ViaFile}, nil
}

func (h scripted) Start(context.Context, core.Exec) (driver.Process, error) {
	p := &script{output: make(chan []byte), exited: make(chan struct{}), closed: make(chan struct{})}
	h.started <- p
	return p, nil
}

// A script is the process of a scripted command.
type script struct {
	output         chan []byte
	exited, closed chan struct{}
	exit, free     sync.Once
}

// write has the command write p.
func (s *script) write(p string) { s.output <- []byte(p) }

// end has it exit.
func (s *script) end() { s.exit.Do(func() { close(s.exited) }) }

func (s *script) Output(sink func(uint8, []byte)) error {
	for {
		select {
		case p := <-s.output:
			sink(1, p)
		case <-s.closed:
			return nil
		}
	}
}

func (s *script) Wait() (core.Exit, error) {
	select {
	case <-s.exited:
	case <-s.closed:
	}
	return core.Exit{}, nil
}

func (s *script) Signal(string) error         { s.end(); return nil }
func (s *script) Close() error                { s.free.Do(func() { close(s.closed) }); return nil }
func (s *script) Write(p []byte) (int, error) { return len(p), nil }
func (s *script) CloseInput() error           { return nil }
func (s *script) Resize(int, int) error       { return nil }

// A subscriber is the peer of a server that lets it subscribe. It is used inside a synctest bubble.
type subscriber struct {
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Reader
	server *acpconn.Server
	host   scripted
	n      int // requests so far

	mu    sync.Mutex // guards lines
	lines []told
}

// told is a line that a subscriber was sent.
type told struct {
	ID     *int
	Method string
	Params struct {
		SessionID, TerminalID string
		Offset, Lost          int
		Data                  []byte
		State                 string
		ExitStatus            *struct{ ExitCode *int }
		Exec                  *struct{ Path string }
		Screen                *shown
	}
	Result json.RawMessage
	Error  *struct {
		Code int
		Data struct{ Reason, Param string }
	}
	noScreen bool // params.screen is null
}

// shown is the screen of a told.
type shown struct {
	Rows, Cols int
	Snapshot   bool
	Lines      []struct {
		Y    int
		Runs []struct{ Text string }
	}
}

// subscribing runs a test with a subscriber who reads as it comes, or only what takeLine takes.
func subscribing(t *testing.T, reads bool, test func(s *subscriber)) {
	subscribingTo(t, driver.Config{}, reads, test)
}

// subscribingTo is subscribing to a server on a driver of its own.
func subscribingTo(t *testing.T, c driver.Config, reads bool, test func(s *subscriber)) {
	synctest.Test(t, func(t *testing.T) {
		fromPeer, in := io.Pipe()
		out, toPeer := io.Pipe()
		s := &subscriber{t: t, in: in, out: bufio.NewReader(out), host: scripted{make(chan *script, 16)}}
		c.Host = s.host
		s.server = acpconn.New(acpconn.Config{
			Driver: c,
			ACP:    acp.Config{Command: core.Command{Pty: true, Rows: 4, Cols: 20}},
			Feed:   acpconn.NewFeed,
		})
		served := make(chan error, 1)
		go func() {
			served <- s.server.Serve(t.Context(), fromPeer, toPeer)
			toPeer.Close()
		}()
		read := make(chan struct{})
		if reads {
			go func() {
				defer close(read)
				for s.takeLine() {
				}
			}()
		}
		test(s)
		in.Close()
		if !reads {
			go func() {
				defer close(read)
				io.Copy(io.Discard, s.out)
			}()
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		<-read
	})
}

// takeLine reads a line and keeps it for take.
func (s *subscriber) takeLine() bool {
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return false
	}
	var m told
	if err := json.Unmarshal(line, &m); err != nil {
		s.t.Errorf("%s: %v", line, err)
	}
	m.noScreen = bytes.Contains(line, []byte(`"screen":null`))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, m)
	return true
}

// take returns the lines that came since the last call, and have come once nothing happens any
// more.
func (s *subscriber) take() []told {
	time.Sleep(time.Second / 2) // of the bubble: screens pause
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

// send sends a request.
func (s *subscriber) send(method, params string) {
	s.n++
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.n, method, params)
}

// request sends a request and returns its answer. Other lines that have come are dropped.
func (s *subscriber) request(method, params string) told {
	s.t.Helper()
	s.send(method, params)
	for _, m := range s.take() {
		if m.ID != nil && *m.ID == s.n {
			return m
		}
	}
	s.t.Fatalf("%s is not answered", method)
	return told{}
}

// create creates a terminal, and returns the params that name it and its process. What came besides
// is left to take.
func (s *subscriber) create(session string) (params string, p *script) {
	s.t.Helper()
	s.send("terminal/create", fmt.Sprintf(`{"sessionId":%q,"command":"x"}`, session))
	p = <-s.host.started
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.lines {
		if m.ID != nil && *m.ID == s.n {
			var result struct{ TerminalID string }
			json.Unmarshal(m.Result, &result)
			s.lines = slices.Delete(s.lines, i, i+1)
			return fmt.Sprintf(`{"sessionId":%q,"terminalId":%q}`, session, result.TerminalID), p
		}
	}
	s.t.Fatal("terminal/create is not answered")
	return "", nil
}

// String is a line in short.
func (m told) String() string {
	p := m.Params
	switch {
	case m.ID != nil:
		return fmt.Sprintf("answer %s", m.Result)
	case m.Method == "_terrarium/output" && p.Lost > 0:
		return fmt.Sprintf("output %d %q after %d lost", p.Offset, p.Data, p.Lost)
	case m.Method == "_terrarium/output":
		return fmt.Sprintf("output %d %q", p.Offset, p.Data)
	case m.noScreen:
		return "no screen"
	case p.Screen != nil:
		var b strings.Builder
		if b.WriteString("screen"); p.Screen.Snapshot {
			b.WriteString(" anew")
		}
		for _, line := range p.Screen.Lines {
			fmt.Fprintf(&b, " %d:", line.Y)
			for _, run := range line.Runs {
				b.WriteString(run.Text)
			}
		}
		return b.String()
	}
	text := "status " + p.State
	if p.ExitStatus != nil {
		text += fmt.Sprintf(" %d", *p.ExitStatus.ExitCode)
	}
	if p.Exec != nil {
		text += " of " + p.Exec.Path
	}
	return text
}

// want checks what came since the last call.
func (s *subscriber) want(when string, want ...string) {
	s.t.Helper()
	s.compare(when, s.take(), want)
}

// wantSorted is want for what comes in any order.
func (s *subscriber) wantSorted(when string, want ...string) {
	s.t.Helper()
	got := s.take()
	slices.SortFunc(got, func(a, b told) int { return strings.Compare(a.String(), b.String()) })
	s.compare(when, got, want)
}

func (s *subscriber) compare(when string, lines []told, want []string) {
	s.t.Helper()
	var got []string
	for _, m := range lines {
		got = append(got, m.String())
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: got\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSubscribe: who subscribes to a session before it has terminals misses nothing of them.
func TestSubscribe(t *testing.T) {
	subscribing(t, true, func(s *subscriber) {
		s.send("_terrarium/subscribe", `{"sessionId":"s","what":["bytes","screen","status"]}`)
		s.want("subscribed", "answer {}")
		id, p := s.create("s")
		s.want("created", "screen anew", "status running of /bin/x")
		p.write("one\r\n")
		s.want("written", `output 0 "one\r\n"`, "screen 0:one")
		p.write("\xff\x1b[H")
		synctest.Wait()
		p.write("two")
		s.want("written again", `output 5 "\xff\x1b[H"`, "screen 1:\uFFFD", `output 9 "two"`, "screen 0:two")
		p.write("!")
		p.end()
		s.want("ended", `output 12 "!"`, "screen 0:two!", "status exited 0")
		s.send("terminal/release", id)
		s.wantSorted("released", "answer {}", "no screen", "status released 0")

		s.create("other")
		s.want("another session")
		s.send("_terrarium/session_close", `{"sessionId":"s"}`)
		s.want("closed", "answer {}")
		s.create("s")
		s.want("a session of the same name")
	})
}

// TestSubscribeLate: who subscribes later is told from then on, once, whatever it subscribes to.
func TestSubscribeLate(t *testing.T) {
	subscribing(t, true, func(s *subscriber) {
		id, p := s.create("s")
		p.write("before")
		s.want("not subscribed")
		subscribe := func(what string) {
			s.send("_terrarium/subscribe", strings.TrimSuffix(id, "}")+`,"what":[`+what+`]}`)
		}
		subscribe(`"bytes"`)
		s.send("_terrarium/subscribe", `{"sessionId":"s","what":["status","bytes","screen"]}`)
		s.want("subscribed", "answer {}", "answer {}", "no screen", "status running of /bin/x")
		p.write("after")
		s.want("written", `output 6 "after"`)
		s.send("_terrarium/unsubscribe", `{"sessionId":"s"}`)
		p.write("more")
		s.want("the session's is gone", "answer {}", `output 11 "more"`)
		s.send("_terrarium/unsubscribe", id)
		p.write("...")
		s.want("both are gone", "answer {}")
		subscribe(`"status"`)
		s.want("status alone", "answer {}", "status running of /bin/x")
		p.write("...")
		p.end()
		s.want("ended", "status exited 0")
		subscribe(`"bytes","status"`)
		s.want("again", "answer {}", "status exited 0 of /bin/x")
		p.write("of a child")
		s.want("after the end", `output 21 "of a child"`)
	})
}

// TestSubscribeScreen: subscribing again begins anew, and what a screen shows in the end is told
// although it goes at once.
func TestSubscribeScreen(t *testing.T) {
	subscribing(t, true, func(s *subscriber) {
		subscribe := func() { s.send("_terrarium/subscribe", `{"sessionId":"s","what":["screen"]}`) }
		subscribe()
		id, p := s.create("s")
		p.write("a\r\nb")
		s.want("written", "answer {}", "screen anew", "screen 0:a 1:b")
		subscribe()
		s.want("again", "answer {}", "screen anew 0:a 1:b")
		p.write("\x1b[?2026h\x1b[2Jnever done")
		s.want("a frame without an end")
		time.Sleep(time.Second) // of the bubble
		s.want("the same, a second later", "screen 0: 1: never done")
		p.write("\x1b[?2026h\x1b[2Jlast")
		s.send("terminal/release", id)
		s.want("released", "answer {}", "screen 1:           last", "no screen")
		subscribe()
		s.want("again", "answer {}", "no screen")
		s.send("_terrarium/subscribe", strings.TrimSuffix(id, "}")+`,"what":["screen"]}`)
		if m := s.take(); len(m) != 1 || m[0].Error == nil || m[0].Error.Code != -32602 || m[0].Error.Data.Reason != "no_screen" {
			t.Errorf("got %v, want no_screen", m)
		}
	})
}

// TestSubscriberDoesNotRead: no command waits for a subscriber, nor does its output pile up, and
// what it has missed it is told.
func TestSubscriberDoesNotRead(t *testing.T) {
	subscribing(t, false, func(s *subscriber) {
		s.send("_terrarium/subscribe", `{"sessionId":"s","what":["bytes","screen","status"]}`)
		s.takeLine()
		s.send("terminal/create", `{"sessionId":"s","command":"x"}`)
		p := <-s.host.started
		const chunk, chunks = 32 << 10, 300
		for range chunks {
			p.write(strings.Repeat("0123456789abcdef", chunk/16))
		}
		p.write("\x1b[H\x1b[Jthe end")
		p.end()
		s.send("unknown", "{}")
		total := chunk*chunks + len("\x1b[H\x1b[Jthe end")
		offset, lost, taken, answered := 0, 0, 0, false
		screen, status := "", ""
		for status != "exited" {
			if !s.takeLine() {
				t.Fatal("the connection ended")
			}
			m := s.lines[len(s.lines)-1]
			taken += base64.StdEncoding.EncodedLen(len(m.Params.Data))
			switch {
			case m.ID != nil && *m.ID == s.n:
				answered = true
				if taken > 512<<10 {
					t.Errorf("the answer came after %d bytes of output", taken)
				}
			case m.Method == "_terrarium/output":
				if m.Params.Offset != offset+m.Params.Lost {
					t.Fatalf("got offset %d, %d lost, after %d", m.Params.Offset, m.Params.Lost, offset)
				}
				offset = m.Params.Offset + len(m.Params.Data)
				lost += m.Params.Lost
			case m.Method == "_terrarium/screen":
				screen = m.String()
			case m.Method == "_terrarium/status":
				status = m.Params.State
			}
		}
		if offset != total || lost < total-1<<20 || !answered {
			t.Errorf("got output to %d of %d, %d of them lost, the answer %v", offset, total, lost, answered)
		}
		if !strings.HasPrefix(screen, "screen") || !strings.Contains(screen, "0:the end") {
			t.Errorf("got the last %q, want the end", screen)
		}
	})
}

// TestSubscribeChild: what a child writes that a command has left behind, more than anybody reads,
// holds up neither the screen nor the status.
func TestSubscribeChild(t *testing.T) {
	subscribing(t, false, func(s *subscriber) {
		s.send("_terrarium/subscribe", `{"sessionId":"s","what":["bytes","screen","status"]}`)
		s.takeLine()
		s.send("terminal/create", `{"sessionId":"s","command":"x"}`)
		p := <-s.host.started
		stop := make(chan struct{})
		var child sync.WaitGroup
		child.Go(func() {
			for piece := "\x1b[?2026l" + strings.Repeat("x", 8<<10) + "\x1b[?2026h"; ; {
				p.write(piece)
				select {
				case <-time.After(2 * time.Millisecond): // of the bubble
				case <-stop:
					return
				}
			}
		})
		p.end()
		screens, status := 0, ""
		for n := 0; status != "exited"; n++ {
			time.Sleep(20 * time.Millisecond) // of the bubble
			if n == 500 || !s.takeLine() {
				t.Error("got no exit")
				break
			}
			m := s.lines[len(s.lines)-1]
			if m.Params.Screen != nil {
				screens++
			}
			status = m.Params.State
		}
		if screens < 10 {
			t.Errorf("got %d screens, want them told beside the output", screens)
		}
		close(stop)
		child.Wait()
	})
}

// TestSubscribeBetween: a command may have exited while its last output is on its way to its
// terminal.
func TestSubscribeBetween(t *testing.T) {
	slow := func(_ core.TerminalID, _ uint8, p []byte) {
		if string(p) == "slow" {
			time.Sleep(time.Second) // of the bubble: longer than output may come after an exit
		}
	}
	subscribingTo(t, driver.Config{OnOutput: slow}, true, func(s *subscriber) {
		s.request("_terrarium/subscribe", `{"sessionId":"s","what":["bytes","status"]}`)
		_, p := s.create("s")
		p.write("one ")
		s.want("it runs", "status running of /bin/x", `output 0 "one "`)
		p.write("slow")
		p.end()
		time.Sleep(2 * time.Second)
		s.want("it has exited", `output 4 "slow"`, "status exited 0")
	})
}

// TestSubscribeOthers: what is written in sessions that nobody has subscribed to takes no room.
func TestSubscribeOthers(t *testing.T) {
	subscribing(t, true, func(s *subscriber) {
		s.request("_terrarium/subscribe", `{"sessionId":"s","what":["bytes"]}`)
		for range 20 {
			_, p := s.create("other")
			p.write(strings.Repeat("x", 256<<10))
		}
		_, p := s.create("s")
		p.write("one")
		s.want("it runs", `output 0 "one"`)
	})
}

// TestSubscribersAreBounded: however many terminals write that nobody reads, it is bounded what is
// kept of them together.
func TestSubscribersAreBounded(t *testing.T) {
	subscribing(t, false, func(s *subscriber) {
		s.send("_terrarium/subscribe", `{"sessionId":"s","what":["bytes"]}`)
		s.takeLine()
		const terminals, each = 40, 1 << 20
		for range terminals {
			s.send("terminal/create", `{"sessionId":"s","command":"x"}`)
			p := <-s.host.started
			for range each >> 15 {
				p.write(strings.Repeat("x", 32<<10))
			}
		}
		kept := 0
		ends := make(map[string]int)
		for done := 0; done < terminals; {
			if !s.takeLine() {
				t.Fatal("the connection ended")
			}
			m := s.lines[len(s.lines)-1]
			if m.Method != "_terrarium/output" {
				continue
			}
			kept += len(m.Params.Data)
			if ends[m.Params.TerminalID] += m.Params.Lost + len(m.Params.Data); ends[m.Params.TerminalID] == each {
				done++
			}
		}
		if kept > 6<<20 {
			t.Errorf("got %d bytes of output, want about 4 MiB, and none in place of the others", kept)
		}
	})
}

// TestSubscribeBad: what is wrong is said, and changes nothing.
func TestSubscribeBad(t *testing.T) {
	subscribing(t, true, func(s *subscriber) {
		id, p := s.create("s")
		for _, test := range []struct{ params, reason, param string }{
			{`{"what":["bytes"]}`, "missing", "sessionId"},
			{`{"sessionId":7,"what":["bytes"]}`, "type", "sessionId"},
			{`{"sessionId":"` + strings.Repeat("s", 1025) + `","what":["bytes"]}`, "too_long", "sessionId"},
			{`{"sessionId":"s"}`, "missing", "what"},
			{`{"sessionId":"s","what":null}`, "type", "what"},
			{`{"sessionId":"s","what":"bytes"}`, "type", "what"},
			{`{"sessionId":"s","what":[]}`, "empty", "what"},
			{`{"sessionId":"s","what":["bytes","Bytes"]}`, "unknown_topic", "what"},
			{`{"sessionId":"s","what":[1]}`, "type", "what"},
			{`{"sessionId":"s","terminalId":1,"what":["bytes"]}`, "type", "terminalId"},
			{`{"sessionId":"s","terminalId":"","what":["bytes"]}`, "unknown_terminal", ""},
			{`{"sessionId":"s","terminalId":"term_1_x","what":["bytes"]}`, "unknown_terminal", ""},
			{strings.Replace(strings.TrimSuffix(id, "}")+`,"what":["bytes"]}`, `"s"`, `"t"`, 1), "unknown_terminal", ""},
			{strings.TrimSuffix(id, "}") + `,"what":["screen"]}`, "no_screen", ""},
			{`[]`, "type", ""},
		} {
			m := s.request("_terrarium/subscribe", test.params)
			if m.Error == nil || m.Error.Code != -32602 || m.Error.Data.Reason != test.reason || m.Error.Data.Param != test.param {
				t.Errorf("%.200s: got %+v, want -32602, %s of %q", test.params, m.Error, test.reason, test.param)
			}
		}
		for _, params := range []string{`{}`, `{"sessionId":"s","terminalId":""}`} {
			if m := s.request("_terrarium/unsubscribe", params); m.Error == nil || m.Error.Code != -32602 {
				t.Errorf("unsubscribe %s: got %+v, want -32602", params, m.Error)
			}
		}
		if m := s.request("_terrarium/unsubscribe", `{"sessionId":"never"}`); m.Error != nil {
			t.Errorf("nothing to unsubscribe: got %+v, want {}", m.Error)
		}
		s.request("_terrarium/subscribe", `{"sessionId":"t","what":["bytes","status"]}`)
		for _, params := range []string{`{"sessionId":"t","terminalId":"nobody's"}`, strings.Replace(id, `"s"`, `"t"`, 1)} {
			s.send("_terrarium/unsubscribe", params)
			s.want("there is none to unsubscribe in that session", "answer {}")
		}
		p.write("x")
		p.end()
		s.want("nothing was subscribed to")
	})
}

// TestSubscriptionsAreBounded: there are 256 of them.
func TestSubscriptionsAreBounded(t *testing.T) {
	subscribing(t, true, func(s *subscriber) {
		subscribe := func(i int) { s.send("_terrarium/subscribe", fmt.Sprintf(`{"sessionId":"s%d","what":["status"]}`, i)) }
		for i := range 256 {
			subscribe(i)
		}
		subscribe(0)
		if got := s.take(); len(got) != 257 || slices.ContainsFunc(got, func(m told) bool { return m.Error != nil }) {
			t.Errorf("got %v, want 257 answers", got)
		}
		subscribe(256)
		if got := s.take(); len(got) != 1 || got[0].Error == nil || got[0].Error.Data.Reason != "limit_subscriptions" {
			t.Errorf("got %v, want a limit", got)
		}
		s.send("_terrarium/unsubscribe", `{"sessionId":"s7"}`)
		subscribe(256)
		s.want("room again", "answer {}", "answer {}")
	})
}

// TestSubscribeAdvertised: initialize says what can be subscribed to, if anything.
func TestSubscribeAdvertised(t *testing.T) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"_terrarium/subscribe","params":{"sessionId":"s","what":["status"]}}` + "\n"
	for _, on := range []bool{false, true} {
		var out strings.Builder
		c := config
		if on {
			c.Feed = acpconn.NewFeed
		}
		if err := acpconn.Serve(t.Context(), strings.NewReader(initialize), &out, c); err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(out.String(), `"_meta":{"terrarium":{"subscribe":["bytes","screen","status"]}}`)
		refused := strings.Contains(out.String(), `-32601`)
		if said != on || refused == on {
			t.Errorf("subscriptions %v: got %s", on, out.String())
		}
	}
}
