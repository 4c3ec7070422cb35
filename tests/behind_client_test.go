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
	"testing"
)

// languages says how a program of docs/behind-your-client.md is run: what has to be here, the name
// of its file, and the command lines that build and start it in its directory. Of several tools one
// will do, which %s stands for.
var languages = map[string]struct {
	tools      []string
	file       string
	build, run []string
}{
	"go":     {[]string{"go"}, "main.go", []string{"%s", "build", "-o", "client", "main.go"}, []string{"./client"}},
	"ts":     {[]string{"../web/node_modules/.bin/tsc"}, "client.mts", []string{"%s", "--noCheck", "--module", "nodenext", "--target", "es2022", "client.mts"}, []string{"node", "client.mjs"}},
	"python": {[]string{"python3"}, "client.py", nil, []string{"%s", "client.py"}},
	"lua":    {[]string{"lua", "lua5.4", "lua5.3", "lua5.1", "luajit"}, "client.lua", nil, []string{"%s", "client.lua"}},
	"rust":   {[]string{"rustc"}, "client.rs", []string{"%s", "--edition=2021", "client.rs"}, []string{"./client"}},
}

// TestBehindClient runs each program of docs/behind-your-client.md, as its agent.
func TestBehindClient(t *testing.T) {
	nativeHost(t)
	seen := make(map[string]bool)
	for _, d := range documents(t) {
		if d.path != "docs/behind-your-client.md" {
			continue
		}
		for _, b := range d.blocks {
			seen[b.lang] = true
			t.Run(b.lang, func(t *testing.T) {
				t.Parallel()
				talkAsAgent(t, programOf(t, b))
			})
		}
	}
	for lang := range languages {
		if !seen[lang] {
			t.Errorf("got no program in %s", lang)
		}
	}
}

// programOf builds a program, and returns what starts it.
func programOf(t *testing.T, b *block) *exec.Cmd {
	t.Helper()
	how, ok := languages[b.lang]
	if !ok {
		t.Fatalf("line %d: no test knows the language %q", b.line, b.lang)
	}
	tool := ""
	for _, name := range how.tools {
		if path, err := exec.LookPath(name); err == nil && tool == "" {
			tool, _ = filepath.Abs(path)
		}
	}
	if tool == "" {
		t.Skipf("NOT RUN: no %s here", strings.Join(how.tools, ", "))
	}
	if how.run[0] == "node" {
		if _, err := exec.LookPath("node"); err != nil {
			t.Skipf("NOT RUN: %v", err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, how.file), []byte(b.text), 0o666); err != nil {
		t.Fatal(err)
	}
	command := func(words []string) *exec.Cmd {
		line := make([]string, len(words))
		for i, word := range words {
			line[i] = strings.ReplaceAll(word, "%s", tool)
		}
		cmd := exec.CommandContext(limited(t), line[0], line[1:]...)
		cmd.Dir = dir
		return cmd
	}
	if how.build != nil {
		if out, err := command(how.build).CombinedOutput(); err != nil {
			if b.lang == "rust" && bytes.Contains(out, []byte("rustup")) {
				t.Skipf("NOT RUN: a rustc without its toolchain: %s", out)
			}
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return command(how.run)
}

// talkAsAgent speaks the part of an agent: it asks for a terminal, and for something else.
func talkAsAgent(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var yours syncBuffer
	cmd.Stderr = &yours
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(stdout)
	call := func(id int, method, params string, result any) {
		t.Helper()
		fmt.Fprintf(stdin, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		line, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%s: %v\n%s", method, err, &yours)
		}
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(line, &answer); err != nil || answer.ID != id || answer.Error != nil {
			t.Fatalf("%s: got %s, want the answer %d: %v", method, line, id, err)
		}
		if err := json.Unmarshal(answer.Result, result); err != nil {
			t.Fatal(err)
		}
	}
	io.WriteString(stdin, `{"jsonrpc":"2.0","id":0,"method":"session/update","params":{"text":"not terminal/create"}}`+"\n")
	var created struct{ TerminalID string }
	call(1, "terminal/create", `{"sessionId":"s","command":"echo hello"}`, &created)
	ref := fmt.Sprintf(`{"sessionId":"s","terminalId":%q}`, created.TerminalID)
	var exit struct{ ExitCode *int }
	call(2, "terminal/wait_for_exit", ref, &exit)
	var output struct{ Output string }
	call(3, "terminal/output", ref, &output)
	if exit.ExitCode == nil || *exit.ExitCode != 0 || output.Output != "hello\n" {
		t.Errorf("got exit code %v and output %q, want 0 and hello", exit.ExitCode, output.Output)
	}
	stdin.Close()
	rest, err := io.ReadAll(answers)
	if err := cmd.Wait(); err != nil {
		t.Errorf("at its end: %v", err)
	}
	if err != nil || len(rest) > 0 {
		t.Errorf("got %q and %v behind the answers, want the end", rest, err)
	}
	if got := yours.String(); !strings.Contains(got, "session/update") || strings.Contains(got, "sessionId") {
		t.Errorf("got %q for the client itself, want what is not terminal/* and nothing else", got)
	}
}
