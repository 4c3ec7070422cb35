package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/llm"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// A message is one of a request.
type message struct{ Role, Content string }

// A server answers requests one after the other. It keeps what they held.
type server struct {
	t       *testing.T
	answers []string // "STATUS BODY", or what the model says
	seen    [][]message
	key     string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string
		Messages []message
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Model != "small" || r.URL.Path != "/v1/chat/completions" {
		s.t.Errorf("got %s for model %q, %v, want small at /v1/chat/completions", r.URL, request.Model, err)
	}
	s.seen, s.key = append(s.seen, request.Messages), r.Header.Get("Authorization")
	if len(s.answers) == 0 {
		http.Error(w, "no more answers", http.StatusTeapot)
		return
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	var status int
	if n, _ := fmt.Sscanf(next, "%d ", &status); n == 1 && status >= 100 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, next[4:])
		return
	}
	reason := "stop"
	if text, ok := strings.CutSuffix(next, "…"); ok {
		next, reason = text, "length"
	}
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%q},"finish_reason":%q}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%[3]d}}`,
		next, reason, 10*len(request.Messages))
}

func start(t *testing.T, c llm.Config, answers ...string) (*server, *llm.Agent) {
	t.Helper()
	s := &server{t: t, answers: answers}
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	c.URL, c.Model, c.Retry = listening.URL+"/v1/", "small", time.Millisecond
	a, err := llm.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

func ask(t *testing.T, a *llm.Agent, prompt, want string) {
	t.Helper()
	got, err := a.Ask(t.Context(), harness.Request{Prompt: prompt})
	if err != nil || got != want {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
}

// The model is sent all that was said, without what it has said to itself.
func TestConversation(t *testing.T) {
	s, a := start(t, llm.Config{Key: "secret"}, "<think>Hm.</think>\n\n{}", "<think>{}")
	ask(t, a, "the task", "{}")
	ask(t, a, "the screen", "<think>{}")
	want := []message{{"user", "the task"}, {"assistant", "{}"}, {"user", "the screen"}}
	if got := s.seen[1]; fmt.Sprint(got) != fmt.Sprint(want) || s.key != "Bearer secret" {
		t.Errorf("got %v with %q, want %v with the key", got, s.key, want)
	}
	if got := a.Usage(); got.Prompt != 40 || got.Completion != 4 {
		t.Errorf("got %+v, want 40 and 4 tokens", got)
	}
	s, a = start(t, llm.Config{Verbatim: true}, "<think>Hm.</think>{}")
	ask(t, a, "the task", "<think>Hm.</think>{}")
	if s.key != "" {
		t.Errorf("got %q, want no key", s.key)
	}
}

func TestTruncated(t *testing.T) {
	_, a := start(t, llm.Config{}, `{"analysis":…`)
	got, err := a.Ask(t.Context(), harness.Request{Prompt: "the task"})
	if got != `{"analysis":` || !errors.Is(err, harness.ErrTruncated) {
		t.Errorf("got %q, %v, want the beginning and ErrTruncated", got, err)
	}
}

// refusals are what servers say when they are sent too much.
var refusals = []string{
	`400 {"error":{"message":"Too much.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
	`400 {"error":{"message":"This model's maximum context length is 4096 tokens.","code":400}}`,
	`400 {"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error","code":400}}`,
	`500 {"error":{"message":"input exceeds the context window"}}`,
}

// A model that has read too much hands the task over: what it is asked for that,
// and what the other one has read then.
func TestHandOver(t *testing.T) {
	for _, refusal := range refusals {
		s, a := start(t, llm.Config{}, "1", "2", "3", "4", refusal, "The summary.", "The questions?", "The answers.", "5", "6")
		var told []llm.HandOver
		a.OnHandOver = func(h llm.HandOver) { told = append(told, h) }
		converse(t, a, 6)
		wantRoles := "user assistant user assistant user assistant user assistant user"
		for i, want := range [][]string{
			5: {"prompt 1", "1", "prompt 2", "2", "prompt 3", "3", "You are about to hand"},
			6: {"You take over"},
			7: {"prompt 1", "1", "prompt 2", "2", "prompt 3", "3", "You are about to hand", "The summary.", "The other agent has"},
			8: {"prompt 1", "The questions?", "Here are the answers"},
			9: {"prompt 1", "The questions?", "Here are the answers", "5", "prompt 6"},
		} {
			if want == nil {
				continue
			}
			var roles []string
			for n, m := range s.seen[i] {
				roles = append(roles, m.Role)
				if n >= len(want) || !strings.HasPrefix(m.Content, want[n]) {
					t.Errorf("request %d: got %q as message %d, want what begins like one of %q", i, m.Content, n, want)
				}
			}
			if got := strings.Join(roles, " "); !strings.HasPrefix(wantRoles, got) || len(roles) != len(want) {
				t.Errorf("request %d: got %d messages of %s, want %d", i, len(roles), got, len(want))
			}
		}
		last := fmt.Sprint(s.seen[8])
		for _, want := range []string{"The task.", "The summary.", "screen 5", "The answers.", "prompt 5"} {
			if !strings.Contains(last, want) {
				t.Errorf("%s: got %s for the one that goes on, want %q in it", refusal, last, want)
			}
		}
		want := llm.HandOver{Step: 5, Summary: "The summary.", Questions: "The questions?", Answers: "The answers."}
		if len(told) != 1 || told[0] != want {
			t.Errorf("got told %+v, want %+v", told, want)
		}
	}
}

// converse asks n times. The model says the number of the prompt.
func converse(t *testing.T, a *llm.Agent, n int) {
	t.Helper()
	for i := 1; i <= n; i++ {
		got, err := a.Ask(t.Context(), harness.Request{
			Instruction: "The task.", Prompt: fmt.Sprint("prompt ", i), Screen: fmt.Sprint("screen ", i), Step: i,
		})
		if err != nil || got != fmt.Sprint(i) {
			t.Fatalf("got %q, %v, want %d", got, err, i)
		}
	}
}

// What becomes of the history when even handing over is too much, and that
// nothing goes on for ever.
func TestHandOverFails(t *testing.T) {
	no := refusals[0]
	for _, test := range []struct {
		name    string
		answers []string
		last    []string // messages of the last request
	}{
		{"a shorter summary", []string{no, no, "S", "Q", "A", "5"}, []string{"prompt 1", "Q", "Here are"}},
		{"no summary", []string{no, no, no, "5"}, []string{"prompt 1"}},
		{"an empty one", []string{no, " ", "Q", "A", "5"}, []string{"prompt 1"}},
		{"no questions", []string{no, "S", no, "5"}, []string{"prompt 1"}},
		{"no answers", []string{no, "S", "Q", no, "5"}, []string{"prompt 1"}},
		{"still too long", []string{no, "S", "Q", "A", no, "5"}, []string{"prompt 1"}},
	} {
		s, a := start(t, llm.Config{}, append([]string{"1", "2", "3", "4"}, test.answers...)...)
		converse(t, a, 5)
		last := s.seen[len(s.seen)-1]
		if len(s.answers) > 0 || len(last) != len(test.last) {
			t.Errorf("%s: got %d requests too few, and in the last one %v, want %q", test.name, len(s.answers), last, test.last)
			continue
		}
		for i, want := range test.last {
			if !strings.HasPrefix(last[i].Content, want) {
				t.Errorf("%s: got %q, want %q", test.name, last[i].Content, want)
			}
		}
		if len(last) == 1 && !(strings.Contains(last[0].Content, "left out") && strings.Contains(last[0].Content, "prompt 5")) {
			t.Errorf("%s: got %q, want the task, the question, and a word about what is missing", test.name, last[0].Content)
		}
	}
	for _, test := range []struct {
		answers []string
		want    string
	}{
		// there is nothing to leave out
		{[]string{`400 {"error":{"message":"prompt is too long"}}`}, "too long"},
		{[]string{"1", no, no, no, no, no}, "Too much"},
		{[]string{"1", no, "S", `401 {"error":{"message":"no such key"}}`}, "no such key"},
	} {
		_, a := start(t, llm.Config{}, test.answers...)
		var err error
		for range test.answers {
			if _, err = a.Ask(t.Context(), harness.Request{Prompt: "the task"}); err != nil {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want the server's word %q", err, test.want)
		}
	}
}

// Where it is known how much a model can read, the task is handed over before
// that is reached, and what is handed over is kept short.
func TestContext(t *testing.T) {
	long := strings.Repeat("é", 100)
	s, a := start(t, llm.Config{Context: 80}, "1", "2", "3", "4", long, long, long, "5", "6")
	var told []llm.HandOver
	a.OnHandOver = func(h llm.HandOver) { told = append(told, h) }
	converse(t, a, 6)
	if len(told) != 1 || told[0].Step != 5 {
		t.Fatalf("got %+v, want it to be handed over once, in turn 5", told)
	}
	if got := told[0].Summary; len(got) > 50 || !strings.HasSuffix(got, " […]") {
		t.Errorf("got a summary of %d bytes: %s, want at most 40 and a sign", len(got), got)
	}
	if len(s.seen) != 9 {
		t.Errorf("got %d requests, want 9", len(s.seen))
	}
}

func TestRetry(t *testing.T) {
	const busy = `503 {"error":{"message":"loading"}}`
	s, a := start(t, llm.Config{}, busy, `429 {"error":{"message":"slow down"}}`, "502 <html>", busy, "{}")
	ask(t, a, "the task", "{}")
	if len(s.seen) != 5 {
		t.Errorf("got %d requests, want 5", len(s.seen))
	}
	for _, test := range []struct {
		answers []string
		tries   int
		want    string
	}{
		{[]string{busy, busy, busy, busy, busy, busy}, 5, "small: error, status code: 503"},
		{[]string{`401 {"error":{"message":"no such key"}}`}, 1, "no such key"},
		{[]string{`200 {"choices":[]}`}, 1, "no answer"},
		{[]string{"200 hello"}, 1, "invalid character"},
	} {
		s, a := start(t, llm.Config{}, test.answers...)
		_, err := a.Ask(t.Context(), harness.Request{Prompt: "the task"})
		if err == nil || !strings.Contains(err.Error(), test.want) || len(s.seen) != test.tries {
			t.Errorf("%s: got %v after %d tries, want %q after %d", test.answers[0], err, len(s.seen), test.want, test.tries)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Ask(ctx, harness.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}

func TestURL(t *testing.T) {
	for _, url := range []string{"", "localhost:11434", "ftp://x/", "http://", "http://a b/"} {
		if _, err := llm.New(llm.Config{URL: url}); err == nil {
			t.Errorf("%q: got no error", url)
		}
	}
	a, err := llm.New(llm.Config{URL: "http://127.0.0.1:1/v1/chat/completions", Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Ask(t.Context(), harness.Request{}); err == nil || !strings.Contains(err.Error(), `"http://127.0.0.1:1/v1/chat/completions"`) {
		t.Errorf("got %v, want an error that has the address", err)
	}
}
