package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleAgents has each of the agents in examples/agents do its task, in
// both modes.
func TestExampleAgents(t *testing.T) {
	absolute := func(name string) string {
		path, err := filepath.Abs("examples/agents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	python, javaScript := absolute("count.py"), absolute("count.mjs")
	for _, file := range []string{python, javaScript} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > 40 {
			t.Errorf("%s: got %d lines, want at most 40", file, n)
		}
	}
	for _, test := range []struct {
		name  string
		agent []string
	}{
		{"Go", []string{build(t, "tests/examples/agents/count")}},
		{"Python", []string{"python3", python}},
		{"JavaScript", []string{"node", javaScript}},
	} {
		for _, strict := range []string{"--strict=false", "--strict"} {
			t.Run(test.name+" "+strict, func(t *testing.T) {
				if _, err := exec.LookPath(test.agent[0]); err != nil {
					t.Skip(err)
				}
				t.Parallel()
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "words.txt"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				args := []string{"harness", strict, "--cwd", dir, "--env", "HOME=" + dir, "--instruction", "Write how many lines words.txt has to count.txt.", "--"}
				cmd := exec.CommandContext(limited(t), "terrarium", append(args, test.agent...)...)
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("got %v and %q, want silence", err, out)
				}
				if got, err := os.ReadFile(filepath.Join(dir, "count.txt")); string(got) != "3\n" {
					t.Errorf("got count.txt %q, %v, want 3", got, err)
				}
			})
		}
	}
}

// TestHarnessModel has a language model do a task, in both formats: it is told
// how to answer, and what it runs is not told the key.
func TestHarnessModel(t *testing.T) {
	const (
		keys    = `echo "key: [$OPENAI_API_KEY]" | tee key.txt` + "\n"
		asJSON  = `<think>A "quote.</think> {"analysis": "a", "plan": "p", "commands": [{"keystrokes": %q, "duration": 60}], "task_complete": true}`
		jsonEnd = `{"analysis": "a", "plan": "p", "commands": [], "task_complete": true}`
		asXML   = "<response><analysis>a</analysis><plan>p</plan><commands><keystrokes duration=\"60\">%s</keystrokes></commands>" +
			"<task_complete>true</task_complete></response>"
		xmlEnd = "<response><analysis>a</analysis><plan>p</plan><commands></commands><task_complete>true</task_complete></response>"
	)
	for _, test := range []struct {
		format  string
		answers []string
	}{
		{"json", []string{"Let me see.", fmt.Sprintf(asJSON, keys), jsonEnd}},
		{"xml", []string{"Let me see.", fmt.Sprintf(asXML, keys), xmlEnd}},
	} {
		t.Run(test.format, func(t *testing.T) {
			t.Parallel()
			var prompts []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var request struct {
					Messages []struct{ Content string }
				}
				if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.Header.Get("Authorization") != "Bearer secret" {
					t.Errorf("got %v and %q, want a request with the key", err, r.Header.Get("Authorization"))
				}
				prompts = append(prompts, request.Messages[len(request.Messages)-1].Content)
				answer := test.answers[min(len(prompts), len(test.answers))-1]
				json.NewEncoder(w).Encode(map[string]any{
					"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": answer}, "finish_reason": "stop"}},
					"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 10},
				})
			}))
			defer server.Close()
			dir := t.TempDir()
			cmd := exec.CommandContext(limited(t), "terrarium", "harness", "--json", "--cwd", dir, "--env", "HOME="+dir,
				"--llm", server.URL+"/v1", "--model", "small", "--format", test.format, "--instruction", "Tell me the key.")
			cmd.Env = append(os.Environ(), "OPENAI_API_KEY=secret")
			out, err := cmd.Output()
			if err != nil || !bytes.Contains(out, []byte(`"completed":true,"turns":3,`)) ||
				!bytes.HasSuffix(out, []byte(`"tokens":{"prompt":300,"completion":30}}`+"\n")) {
				t.Errorf("got %v and %s, want it completed in 3 turns", err, out)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "key.txt")); string(got) != "key: []\n" {
				t.Errorf("got %q, %v, want no key in the shell", got, err)
			}
			for i, want := range []string{
				"Keystrokes are typed exactly as they are", "Previous response had parsing errors", "Are you sure",
			} {
				if i >= len(prompts) || !strings.Contains(prompts[i], want) {
					t.Errorf("got prompts %q, want %q in number %d", prompts, want, i+1)
				}
			}
		})
	}
}
