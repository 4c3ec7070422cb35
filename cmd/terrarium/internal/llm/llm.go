// Package llm has a language model do a task: a harness.Agent that hands prompts
// to a server with the chat API of OpenAI, which most servers of local models
// have too.
//
// What has been said is sent along each time, up to what the model can read:
// when the server says that it is too much, the task is handed over, see
// [HandOver]. A request that fails for a reason that may pass is sent again.
package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// Config says which model.
type Config struct {
	// URL is that below which there is /chat/completions:
	// http://localhost:11434/v1.
	URL   string
	Model string
	// Key is sent as a bearer token, if set.
	Key string
	// Verbatim has answers handed on as they are. By default what a model
	// says to itself first, in <think>…</think>, is left out.
	Verbatim bool
	// Context is how much the model can read, in tokens. If zero, that is
	// found out when the server says that it was too much; some never do.
	Context int
	// Retry is how long to wait before a request is sent again the first time;
	// then twice as long, and so on. If zero, 1 s.
	Retry time.Duration
}

// maxTries is how often a request is sent that fails for a reason that may pass.
const maxTries = 5

// An Agent is a language model. It is not safe for concurrent use.
type Agent struct {
	// OnHandOver, if set, is called when the task has been handed over.
	OnHandOver func(h HandOver)

	config  Config
	client  *openai.Client
	first   string                         // the first prompt, which has the task
	history []openai.ChatCompletionMessage // the first is the task; theirs and ours in turn
	read    int                            // tokens of the history at the last answer, and of that
	usage   Usage
}

// Usage is what was read and written, in tokens, as the server counts them.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

var _ harness.Agent = (*Agent)(nil)

// New returns an Agent, or says what is wrong with the URL.
func New(c Config) (*Agent, error) {
	base, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, err
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, fmt.Errorf("%s: want a URL such as http://localhost:11434/v1", c.URL)
	}
	if c.Retry == 0 {
		c.Retry = time.Second
	}
	client := openai.DefaultConfig(c.Key)
	client.BaseURL = strings.TrimSuffix(strings.TrimSuffix(c.URL, "/"), "/chat/completions")
	client.HTTPClient = limited{new(http.Client)}
	return &Agent{config: c, client: openai.NewClientWithConfig(client)}, nil
}

// Usage returns what all requests so far took.
func (a *Agent) Usage() Usage { return a.usage }

// Ask implements harness.Agent.
func (a *Agent) Ask(ctx context.Context, r harness.Request) (answer string, err error) {
	if len(a.history) == 0 {
		a.first = r.Prompt
	}
	a.history = append(a.history, said(r.Prompt))
	answer, truncated, err := a.answer(ctx, r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.config.Model, err)
	}
	a.history = append(a.history, answered(answer))
	if truncated {
		return answer, harness.ErrTruncated
	}
	return answer, nil
}

// answer asks what the history ends with, and makes that shorter if it has to.
func (a *Agent) answer(ctx context.Context, r harness.Request) (answer string, truncated bool, err error) {
	handedOver := a.crowded()
	if handedOver {
		if _, err = a.handOver(ctx, r); err != nil {
			return "", false, err
		}
	}
	answer, truncated, err = a.complete(ctx, a.history)
	if isTooLong(err) && !handedOver {
		done, failure := a.handOver(ctx, r)
		if failure != nil {
			return "", false, failure
		}
		if done {
			answer, truncated, err = a.complete(ctx, a.history)
		}
	}
	if isTooLong(err) && a.forget(r) {
		answer, truncated, err = a.complete(ctx, a.history)
	}
	return answer, truncated, err
}

// complete sends messages until there is an answer.
func (a *Agent) complete(ctx context.Context, messages []openai.ChatCompletionMessage) (answer string, truncated bool, err error) {
	response, err := a.send(ctx, messages)
	if err != nil {
		return "", false, err
	}
	a.usage.Prompt += response.Usage.PromptTokens
	a.usage.Completion += response.Usage.CompletionTokens
	a.read = response.Usage.TotalTokens
	if len(response.Choices) == 0 {
		return "", false, errors.New("the server has sent no answer")
	}
	choice := response.Choices[0]
	answer = choice.Message.Content
	if !a.config.Verbatim {
		answer = withoutThoughts(answer)
	}
	return answer, choice.FinishReason == openai.FinishReasonLength, nil
}

// send sends messages, again and again if what is wrong may pass.
func (a *Agent) send(ctx context.Context, messages []openai.ChatCompletionMessage) (openai.ChatCompletionResponse, error) {
	wait := a.config.Retry
	for try := 1; ; try++ {
		response, err := a.client.CreateChatCompletion(ctx, openai.ChatCompletionRequest{Model: a.config.Model, Messages: messages})
		if err == nil || ctx.Err() != nil || isTooLong(err) || try == maxTries || !a.mayPass(err) {
			return response, err
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return response, ctx.Err()
		}
	}
}

// withoutThoughts returns what stands behind a <think> block, if that has an
// end.
func withoutThoughts(answer string) string {
	rest, ok := strings.CutPrefix(strings.TrimLeft(answer, " \t\r\n"), "<think>")
	if !ok {
		return answer
	}
	if _, said, ended := strings.Cut(rest, "</think>"); ended {
		return strings.TrimLeft(said, " \t\r\n")
	}
	return answer
}

// maxResponse is how long a response of the server may be, in bytes.
const maxResponse = 64 << 20

// limited is a client whose responses are limited: a server is not to be
// trusted with our memory.
type limited struct{ client *http.Client }

// Do implements openai.HTTPDoer.
func (l limited) Do(r *http.Request) (*http.Response, error) {
	response, err := l.client.Do(r)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxResponse), response.Body}
	return response, nil
}

// mayPass reports whether the same request may succeed later: the server is
// busy, or it can't be reached and has been before.
func (a *Agent) mayPass(err error) bool {
	status := statusOf(err)
	if status == 0 {
		_, network := errors.AsType[*url.Error](err)
		return network && len(a.history) > 1
	}
	return status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooManyRequests || status >= 500
}

// statusOf returns the HTTP status of an error, or 0 if there was no response.
func statusOf(err error) int {
	if e, ok := errors.AsType[*openai.APIError](err); ok {
		return e.HTTPStatusCode
	}
	if e, ok := errors.AsType[*openai.RequestError](err); ok {
		return e.HTTPStatusCode
	}
	return 0
}
