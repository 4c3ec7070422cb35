package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// TestSubscribe: serve tells a peer that has subscribed what a command writes and shows, and that
// it ended.
func TestSubscribe(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		cmd := exec.CommandContext(limited(t), "terrarium", "serve", "--stdio")
		in, out := startPiped(t, cmd)
		t.Cleanup(func() {
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
		lines := bufio.NewReader(out)
		testSubscribe(t, func(line string) error {
			_, err := io.WriteString(in, line+"\n")
			return err
		}, func() ([]byte, error) { return lines.ReadBytes('\n') })
	})
	t.Run("WebSocket", func(t *testing.T) {
		conn, _ := dial(t, listening(t), &websocket.DialOptions{HTTPHeader: header("Authorization", "Bearer "+listenToken)})
		if conn == nil {
			t.Fatal("not let in")
		}
		ctx := limited(t)
		testSubscribe(t, func(line string) error { return conn.Write(ctx, websocket.MessageText, []byte(line)) },
			func() ([]byte, error) {
				_, line, err := conn.Read(ctx)
				return line, err
			})
	})
}

// testSubscribe is the same for every way to send a line and to get the next.
func testSubscribe(t *testing.T, send func(line string) error, next func() ([]byte, error)) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"_terrarium/subscribe","params":{"sessionId":"s","what":["bytes","screen","status"]}}`,
		`{"jsonrpc":"2.0","id":2,"method":"terminal/create","params":{"sessionId":"s","command":"printf '\\033[1mone\\377\\ntwo'; exit 3"}}`,
	} {
		if err := send(line); err != nil {
			t.Fatal(err)
		}
	}
	var output bytes.Buffer
	screen := make(map[int]string)
	state := "" // "running" is not told of what has ended by the time that something is
	for state != "exited" {
		line, err := next()
		if err != nil {
			t.Fatalf("after %q, %v, %q: %v", output.String(), screen, state, err)
		}
		var m struct {
			Error  any
			Params struct {
				Offset int
				Data   []byte
				State  string
				Screen struct {
					Lines []struct {
						Y    int
						Runs []struct{ Text string }
					}
				}
				ExitStatus struct{ ExitCode int }
			}
		}
		if err := json.Unmarshal(line, &m); err != nil || m.Error != nil {
			t.Fatalf("%s: %v", line, err)
		}
		p := m.Params
		if len(p.Data) > 0 && p.Offset != output.Len() {
			t.Errorf("got offset %d after %d bytes", p.Offset, output.Len())
		}
		output.Write(p.Data)
		for _, line := range p.Screen.Lines {
			var text strings.Builder
			for _, run := range line.Runs {
				text.WriteString(run.Text)
			}
			screen[line.Y] = text.String()
		}
		switch p.State {
		case "":
		case "running", "exited":
			state = p.State
		default:
			t.Errorf("got state %q", p.State)
		}
		if p.State == "exited" && p.ExitStatus.ExitCode != 3 {
			t.Errorf("got exit code %d, want 3", p.ExitStatus.ExitCode)
		}
	}
	if got, want := output.String(), "\x1b[1mone\xff\ntwo"; got != want {
		t.Errorf("got output %q, want %q", got, want)
	}
	if screen[0] != "one\uFFFD" || screen[1] != "two" {
		t.Errorf("got the screen %v", screen)
	}
}
