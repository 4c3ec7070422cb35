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
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%q},"finish_reason":%q}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`, next, reason)
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
	if got := a.Usage(); got.Prompt != 20 || got.Completion != 4 {
		t.Errorf("got %+v, want 20 and 4 tokens", got)
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

// What servers say when they are sent too much.
func TestTooLong(t *testing.T) {
	for _, refusal := range []string{
		`400 {"error":{"message":"Too much.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
		`400 {"error":{"message":"This model's maximum context length is 4096 tokens.","code":400}}`,
		`400 {"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error","code":400}}`,
		`500 {"error":{"message":"input exceeds the context window"}}`,
	} {
		s, a := start(t, llm.Config{}, "1", "2", "3", "4", refusal, refusal, "5")
		for i := range 5 {
			ask(t, a, fmt.Sprint("prompt ", i+1), fmt.Sprint(i+1))
		}
		last := s.seen[len(s.seen)-1]
		var got []string
		for i, m := range last {
			if want := []string{"user", "assistant"}[i%2]; m.Role != want {
				t.Errorf("got %s as number %d, want %s", m.Role, i, want)
			}
			got = append(got, strings.SplitN(m.Content, "\n", 2)[0])
		}
		if want := "prompt 1, 4, prompt 5"; strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q in the end, want %q", refusal, got, want)
		}
		if !strings.Contains(last[0].Content, "left out") || strings.Count(last[0].Content, "left out") != 1 {
			t.Errorf("got the first prompt %q, want a word about what is missing", last[0].Content)
		}
	}
	// There is nothing to leave out of the first.
	_, a := start(t, llm.Config{}, `400 {"error":{"message":"prompt is too long"}}`)
	if _, err := a.Ask(t.Context(), harness.Request{Prompt: "the task"}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v, want the server's word", err)
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
