package acp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// FuzzAnswer asks a question, with a text about it, and takes whatever line comes for an answer. $q
// stands for the id of the question. What is chosen is one of the options, a question has one
// answer at most, and all that is sent is JSON, in whose code block the text can't be told from
// code.
func FuzzAnswer(f *testing.F) {
	answer := func(result string) string { return `{"jsonrpc":"2.0","id":$q,"result":` + result + `}` }
	f.Add(answer(`{"outcome":{"outcome":"selected","optionId":"b"}}`), "rm -rf /")
	f.Add(answer(`{"outcome":{"outcome":"selected","optionId":"c","_meta":{"terrarium":{"reason":"\ud800"}}}}`), "```\n![](http://x)\n````")
	f.Add(answer(`{"outcome":{"outcome":"cancelled"}}`), "`")
	f.Add(answer(`{"outcome":{"outcome":"selected","optionId":"\u0061"}}`), "\x1b[2J\u202e\xff")
	f.Add(`{"jsonrpc":"2.0","id":$q,"error":{"code":-32603,"message":"x"}}`, "~~~")
	f.Add(`{"jsonrpc":"1.0","id":$q,"error":5}`, "")

	f.Fuzz(func(t *testing.T, line, text string) {
		if len(line)+len(text) > 64<<10 {
			t.Skip("long enough")
		}
		var now time.Time
		conn := acp.NewConn(acp.Config{Nonce: "n"}, acp.OnRegistry(core.NewRegistry(core.Config{Ask: true})))
		asker := acp.NewAsker(conn)
		conn.HandleMessage(now, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"_meta":{"terrarium":{"requestPermission":true}}}}}`))
		conn.NextLine()
		options := []acp.PermissionOption{{OptionID: "a", Kind: acp.AllowOnce}, {OptionID: "b", Kind: acp.RejectOnce}}
		exec := core.Exec{Command: core.Command{Command: text, Session: "s"}}
		id, err := asker.Ask(&acp.Question{Exec: &exec, Title: text, Text: text, Commands: [][]string{{text}}, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		checkQuestion(t, conn)

		line = strings.ReplaceAll(line, "$q", id.String())
		conn.HandleMessage(now, []byte(line))
		if a, ok := asker.NextAnswer(); ok {
			offered := slices.ContainsFunc(options, func(o acp.PermissionOption) bool { return o.OptionID == a.Outcome.OptionID })
			if a.ID != id || !offered && a.Outcome != (acp.Outcome{}) || a.Err != nil && a.Outcome != (acp.Outcome{}) || len(a.Outcome.Text) > 2<<10+len("…") {
				t.Errorf("got %+v from %s", a, line)
			}
			conn.HandleMessage(now, []byte(line))
		} else {
			asker.Cancel(id)
		}
		conn.HandleEOF(now)
		if a, ok := asker.NextAnswer(); ok {
			t.Errorf("got another answer: %+v", a)
		}
	})
}

// checkQuestion holds the line that asks against what a Markdown renderer makes of it.
func checkQuestion(t *testing.T, conn *acp.Conn) {
	t.Helper()
	sent, _ := conn.NextLine()
	var m struct {
		Params struct {
			ToolCall struct {
				Title   string
				Content []struct{ Content struct{ Text string } }
			}
		}
	}
	if err := json.Unmarshal(sent, &m); err != nil {
		t.Fatalf("%s: %v", sent, err)
	}
	block := m.Params.ToolCall.Content[0].Content.Text
	fence, rest, _ := strings.Cut(block, "\n")
	inside, ok := strings.CutSuffix(rest, "\n"+fence)
	if !ok || len(fence) < 3 || strings.Trim(fence, "`") != "" || strings.Contains(inside, fence) {
		t.Errorf("got the block %q, whose fence stands inside of it", block)
	}
	if title := m.Params.ToolCall.Title; strings.ContainsAny(title, "\n\r") {
		t.Errorf("got the title %q, want a line", title)
	}
}
