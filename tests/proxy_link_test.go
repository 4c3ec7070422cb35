package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A link is both ends of a proxy: the test is the editor, and the agent.
type link struct {
	t        testing.TB
	dir      string // of the session
	toAgent  io.Writer
	toEditor io.Writer
	// What the editor and the agent get, a line each with its end. They are closed at the end.
	editor, agent chan []byte

	cmd    *exec.Cmd
	leave  func() // ends what the editor writes
	end    func() // ends what the agent writes, and the agent
	stderr *syncBuffer
}

// agentScript passes on what an agent gets to a FIFO, and what comes from another one as what it
// says.
const agentScript = `echo $$ >"$0/pid"; exec 3<&0; cat <&3 >"$0/gets" & exec cat "$0/says"`

// proxied starts "terrarium proxy FLAG..." with an agent that is the test.
func proxied(t testing.TB, flags ...string) *link {
	t.Helper()
	l := &link{t: t, dir: t.TempDir(), stderr: new(syncBuffer)}
	pipes := t.TempDir()
	gets, says := fifo(t, filepath.Join(pipes, "gets")), fifo(t, filepath.Join(pipes, "says"))
	args := append(append([]string{"proxy"}, flags...), "--", "sh", "-c", agentScript, pipes)
	l.cmd = exec.Command("terrarium", args...)
	l.cmd.Dir = l.dir
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // or who runs the tests is asked
	l.cmd.Stderr = l.stderr
	in, out := startPiped(t, l.cmd)
	l.toAgent, l.toEditor = in, says
	l.leave = sync.OnceFunc(func() { in.Close() })
	l.end = sync.OnceFunc(func() { says.Close() })
	l.editor, l.agent = lines(out), lines(gets)
	t.Cleanup(func() {
		l.leave()
		l.end()
		for range l.editor {
		}
		l.cmd.Wait()
		gets.Close()
		if t.Failed() {
			t.Logf("standard error of the proxy:\n%s", l.stderr)
		}
	})
	return l
}

// fifo makes a FIFO and opens it. It has a reader and a writer then, so nobody waits to open it.
func fifo(t testing.TB, name string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// lines sends the lines of r to the channel, which has room for many of them.
func lines(r io.Reader) chan []byte {
	c := make(chan []byte, 1<<14)
	go func() { // ends with r
		defer close(c)
		for b := bufio.NewReaderSize(r, 1<<20); ; {
			line, err := b.ReadBytes('\n')
			if len(line) > 0 {
				c <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

// A syncBuffer keeps what is written to it, and can be read at the same time.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// says has the editor or the agent write a line.
func (l *link) says(w io.Writer, line string) {
	l.t.Helper()
	if _, err := io.WriteString(w, line+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

// gets returns the next line that the editor or the agent gets, with its end.
func (l *link) gets(c chan []byte) string {
	l.t.Helper()
	select {
	case line, ok := <-c:
		if !ok {
			l.t.Fatal("nothing more comes")
		}
		return string(line)
	case <-time.After(patience):
		l.t.Fatal("nothing comes")
	}
	panic("not reached")
}

// A wire is a message that the editor or the agent gets.
type wire struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID, TerminalID string
		RequestID             any
		ToolCall              struct{ ToolCallID, Title string }
		Options               []struct{ OptionID, Kind string }
		Update                struct {
			SessionUpdate, ToolCallID string
			RawInput                  json.RawMessage
			Content                   []struct {
				Type, TerminalID string
				Content          struct{ Type, Text string }
			}
			Meta struct {
				Info struct {
					TerminalID string `json:"terminal_id"`
				} `json:"terminal_info"`
				Output struct{ Data string } `json:"terminal_output"`
				Delta  struct{ Data string } `json:"terminal_output_delta"`
				Exit   *struct {
					ExitCode *int `json:"exit_code"`
				} `json:"terminal_exit"`
			} `json:"_meta"`
		}
	}
	Result map[string]any
	Error  struct {
		Code int
		Data struct{ Reason string }
	}
}

// message returns the next line as a message.
func (l *link) message(c chan []byte) (m wire) {
	l.t.Helper()
	line := l.gets(c)
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		l.t.Fatalf("%s: %v", line, err)
	}
	return m
}

// open has the editor open the session s in l.dir.
func (l *link) open(capabilities string) {
	l.t.Helper()
	l.says(l.toAgent, `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{`+capabilities+`}}}`)
	l.gets(l.agent)
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":1,"agentInfo":{"name":"test","version":"1"}}}`)
	l.gets(l.editor)
	l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, l.dir))
	l.gets(l.agent)
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":"new","result":{"sessionId":"s"}}`)
	l.gets(l.editor)
}

// create has the agent ask for a command, and returns its terminal.
func (l *link) create(command string) string {
	l.t.Helper()
	l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","id":"create","method":"terminal/create","params":{"sessionId":"s","command":%q}}`, command))
	m := l.message(l.agent)
	id, _ := m.Result["terminalId"].(string)
	if id == "" {
		l.t.Fatalf("got %+v, want a terminal", m)
	}
	return id
}

// onTerminal has the agent call a method with the terminal id. It does not wait for the answer.
func (l *link) onTerminal(request, method, id string) {
	l.t.Helper()
	l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"terminal/%s","params":{"sessionId":"s","terminalId":%q}}`, request, method, id))
}

// quiet checks that nothing of what was sent so far comes to the editor: only a line that is sent
// now does.
func (l *link) quiet() {
	l.t.Helper()
	const last = `{"jsonrpc":"2.0","method":"_last"}`
	l.says(l.toEditor, last)
	if got := l.gets(l.editor); strings.TrimSpace(got) != last {
		l.t.Errorf("the editor got %s", got)
	}
}
