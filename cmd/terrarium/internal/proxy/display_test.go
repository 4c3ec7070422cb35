package proxy

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestEndIsToldAtOnce: output waits for more of it, and an end for nothing.
func TestEndIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		p := &proxy{toEditor: newLineWriter(w)}
		d := p.newDisplay()
		d.driver = driver.New(driver.Config{})
		defer d.driver.Close()
		d.initialized(metaDialect(metaOutput))
		d.terminal("a").call, d.terminal("b").call = callID{"s", "a"}, callID{"s", "b"}
		go d.run() // ends with close
		defer func() {
			r.Close()
			d.close()
			p.toEditor.close()
		}()
		editor := bufio.NewReader(r)
		begun := time.Now()
		wants := func(want string, after time.Duration) {
			t.Helper()
			line, err := editor.ReadString('\n')
			if took := time.Since(begun); err != nil || !strings.Contains(line, want) || took != after {
				t.Errorf("got %q, %v after %v, want %s after %v", line, err, took, want, after)
			}
		}
		d.output("a", []byte("first"))
		d.output("b", []byte("last"))
		d.news(&core.Effect{Kind: core.Exited, ID: "b"})
		wants("last", 0)
		wants(`"exit_code":0`, 0)
		wants("first", displayPause)
	})
}

// TestNothingPassesWhatIsQueued: the end of a tool call's terminal may have been found, and the
// call forgotten, while the editor has not taken it yet. What the agent says of that call comes
// after.
func TestNothingPassesWhatIsQueued(t *testing.T) {
	for name, says := range map[string]string{
		"end":     `{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}`,
		"content": `{"sessionUpdate":"tool_call_update","toolCallId":"a","content":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				p := &proxy{toEditor: newLineWriter(w)}
				d := p.newDisplay()
				d.driver = driver.New(driver.Config{})
				defer d.driver.Close()
				p.served = &served{display: d}
				call := callID{"s", "a"}
				d.terminal("t")
				d.calls[call] = &embedding{[]item{{terminal: "t"}}}
				go d.run() // ends with close
				d.news(&core.Effect{Kind: core.Exited, ID: "t"})
				synctest.Wait()
				if d.owes(call, false) {
					t.Fatal("the call is not forgotten")
				}
				line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + says + `}}`)
				m, _ := look(line)
				done := make(chan struct{})
				go func() {
					defer close(done)
					p.updated(&m, line)
				}()
				synctest.Wait()
				select {
				case <-done:
					t.Error("the line was passed on before the end of the terminal")
				default:
				}
				go io.Copy(io.Discard, r)
				<-done
				d.close()
				p.toEditor.close()
				r.Close()
			})
		})
	}
}
