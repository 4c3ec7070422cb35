package conform

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// talk has a client send lines and read what comes, until the agent has said as much as
// stop asks for. Then the connection ends.
func talk(t *testing.T, config Config, lines []string, stop func(line string) (reply string, done bool)) *Report {
	t.Helper()
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	reports := make(chan *Report, 1)
	go func() { // ends with in
		r, err := Serve(context.Background(), in, out, config)
		if err != nil {
			t.Error(err)
		}
		in.CloseWithError(io.ErrClosedPipe)
		out.Close()
		reports <- r
	}()
	replies := make(chan string, 1000)
	go func() { // ends with replies, or with in
		for reply := range replies {
			io.WriteString(toAgent, reply)
		}
		toAgent.Close()
	}()
	for _, line := range lines {
		replies <- line
	}
	ended := false
	for r := bufio.NewReader(fromAgent); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		if ended {
			continue
		}
		reply, done := stop(line)
		if reply != "" {
			replies <- reply
		}
		if done {
			ended = true
			close(replies)
		}
	}
	return <-reports
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminal":true}}}` + "\n"
	newSession = `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n"
)

// promptFor returns the prompt of the session that line has the answer for, or "".
func promptFor(line string) string {
	var m struct {
		ID     int
		Result struct{ SessionID string }
	}
	if json.Unmarshal([]byte(line), &m) != nil || m.Result.SessionID == "" {
		return ""
	}
	return `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"` + m.Result.SessionID + `","prompt":[]}}` + "\n"
}

// TestEndWithoutPrompt has a client that leaves: the report says that nothing was tried.
func TestEndWithoutPrompt(t *testing.T) {
	r := talk(t, Config{}, []string{initialize}, func(string) (string, bool) { return "", true })
	if !r.Started.IsZero() || r.Summary.NotRun != len(Points()) {
		t.Errorf("got %v, started %v, want nothing tried", r.Summary, r.Started)
	}
}

// TestOtherVersion has a client that leaves because it speaks only version 2: the report says so.
func TestOtherVersion(t *testing.T) {
	asks := strings.Replace(initialize, `"protocolVersion":1`, `"protocolVersion":2`, 1)
	r := talk(t, Config{}, []string{asks}, func(string) (string, bool) { return "", true })
	if got := r.Points[0].Evidence; !strings.Contains(got, "it asked for version 2") {
		t.Errorf("got %q", got)
	}
}

// TestEndOfClient has a client that dies in the middle of a point: that point fails, and no
// other is tried.
func TestEndOfClient(t *testing.T) {
	r := talk(t, Config{Patience: patience}, []string{initialize, newSession}, func(line string) (string, bool) {
		return promptFor(line), strings.Contains(line, "terminal/create")
	})
	if r.Summary.Failed != 1 || r.Summary.Passed != 0 || !strings.Contains(r.Points[0].Evidence, errGone.Error()) {
		t.Errorf("got %v, the first %v, want one failed for the end of the connection", r.Summary, r.Points[0])
	}
}

// TestDeafClient has a client that reads no more, and does not leave: no other point is tried
// either.
func TestDeafClient(t *testing.T) {
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	defer toAgent.Close()
	go func() { // ends when fromAgent does
		io.WriteString(toAgent, initialize+newSession)
		for r := bufio.NewReader(fromAgent); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if prompt := promptFor(line); prompt != "" {
				fromAgent.Close()
				io.WriteString(toAgent, prompt)
			}
		}
	}()
	r, err := Serve(context.Background(), in, out, Config{Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Summary.Failed; n > 1 || r.Summary.Passed != 0 {
		t.Errorf("got %v, the first %v, want one failed at most", r.Summary, r.Points[0])
	}
}

// TestGarbage has a client that answers with garbage, and quotes none of it as it is.
func TestGarbage(t *testing.T) {
	garbage := "\x1b]0;title\x07" + strings.Repeat("x", 100_000) + "\n"
	r := talk(t, Config{Only: []int{3, 53}, Patience: 300 * time.Millisecond}, []string{garbage, initialize, newSession, "[]\n", "{}\n"},
		func(line string) (string, bool) {
			if prompt := promptFor(line); prompt != "" {
				return prompt, false
			}
			if strings.Contains(line, `"stopReason"`) {
				return "", true
			}
			if strings.Contains(line, `"terminal/create"`) {
				return `{"jsonrpc":"2.0","id":1,"result":{"terminalId":{}},"error":7}` + "\n", false
			}
			return garbage, false
		})
	if r.Summary.Failed != 2 || len(r.Faults) == 0 {
		t.Errorf("got %v and the faults %v, want two failed and some", r.Summary, r.Faults)
	}
	data, err := r.JSON()
	if err != nil || len(data) > 20_000 {
		t.Errorf("got a report of %d bytes, %v", len(data), err)
	}
	for _, text := range []string{string(data), r.String(), string(r.Markdown())} {
		if strings.ContainsAny(text, "\x1b\x07") {
			t.Errorf("the report has what a terminal would obey: %q", text)
		}
	}
}

// TestMute has a client that only answers and runs nothing: not every point waits for that with all
// its patience.
func TestMute(t *testing.T) {
	lines := []string{initialize, strings.Replace(newSession, `"/"`, strconv.Quote(t.TempDir()), 1)}
	results := map[string]string{
		"terminal/create":            `{"terminalId":"term-1"}`,
		"terminal/output":            `{"output":"","truncated":false}`,
		"terminal/wait_for_exit":     `{}`,
		"terminal/kill":              `{}`,
		"terminal/release":           `{}`,
		"session/request_permission": `{"outcome":{"outcome":"selected","optionId":"skip"}}`,
		methodUnknown:                `{}`,
	}
	synctest.Test(t, func(t *testing.T) {
		config := Config{Patience: time.Minute}
		r := talk(t, config, lines, func(line string) (string, bool) {
			if prompt := promptFor(line); prompt != "" {
				return prompt, false
			}
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Error(err)
			}
			if result := results[m.Method]; result != "" {
				return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + "}\n", false
			}
			return "", strings.Contains(line, `"stopReason"`)
		})
		waited := time.Duration(r.DurationMs) * time.Millisecond
		if r.Summary.Failed < 30 || waited < config.Patience || waited > 2*config.Patience {
			t.Errorf("got %+v after %v, want most failed, after more than %v and less than twice that", r.Summary, waited, config.Patience)
		}
	})
}

// TestWriteFile holds a report's file to its owner, and away from where a link leads.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	other, name := filepath.Join(dir, "other"), filepath.Join(dir, "report.json")
	if err := os.WriteFile(other, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, name); err != nil {
		t.Skip(err)
	}
	if err := new(Report).WriteFile(name); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(name)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("got the mode %v, %v, want -rw-------", info.Mode(), err)
	}
	if data, _ := os.ReadFile(other); string(data) != "mine" {
		t.Errorf("the link was followed: %q", data)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".report-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if CheckFile("report.html") == nil {
		t.Error("a report that ends in .html is no error")
	}
}

// TestMarkdown has text of a client that would be Markdown.
func TestMarkdown(t *testing.T) {
	r := &Report{Client: Client{Name: "<b>|[x](y)"}, Points: []Result{{Number: 1, Evidence: "a `b` | c"}}}
	doc := string(r.Markdown())
	for _, want := range []string{`\<b\>\|\[x\]\(y\)`, "`` a `b` \\| c ``"} {
		if !strings.Contains(doc, want) {
			t.Errorf("got %s, want %q in it", doc, want)
		}
	}
}
