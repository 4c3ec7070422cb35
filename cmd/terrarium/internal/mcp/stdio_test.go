package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestMalformedAnswer: an answer that is none is a no, and nobody waits for another one.
func TestMalformedAnswer(t *testing.T) {
	for name, answer := range map[string]string{
		"result and error": `{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"answer":"once"}},"error":{"code":1,"message":"x"}}`,
		"a null error":     `{"jsonrpc":"2.0","id":%s,"error":null}`,
		"another version":  `{"id":%s,"result":{"action":"accept","content":{"answer":"once"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Config{Driver: driver.Config{
				Host: noHost{},
				Decide: func(ctx context.Context, e core.Exec) core.Decision {
					_, err := Elicitation{}.Ask(ctx, &ask.Question{Exec: &e})
					return core.Decision{Allow: err == nil, Reason: fmt.Sprint("asked: ", err)}
				},
			}})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			go s.ServeStdio(ctx, in, out) // ends with ctx
			go func() {                   // ends with what is read
				<-ctx.Done()
				out.Close()
			}()
			lines := bufio.NewScanner(fromServer)
			next := func() (m struct {
				ID     json.RawMessage
				Method string
			}) {
				if !lines.Scan() {
					t.Fatal("nothing more comes")
				}
				json.Unmarshal(lines.Bytes(), &m)
				return m
			}
			io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"terminal_create","arguments":{"command":"x"}}}
`)
			m := next()
			for m.Method == "" {
				m = next()
			}
			fmt.Fprintf(toServer, answer+"\n", m.ID)
			if m := next(); string(m.ID) != "2" || !strings.Contains(lines.Text(), "asked: ") {
				t.Errorf("got %s, want the call refused", lines.Text())
			}
		})
	}
}
