package llm

import (
	"net/http"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// tooLong is how servers say that they were sent more than a model can read:
// OpenAI's code, and words of vLLM, llama.cpp, Ollama and others.
var tooLong = []string{
	"context_length_exceeded", "context length", "context size", "context window", "maximum context", "prompt is too long", "too many tokens",
}

// isTooLong reports whether err says that the history must become shorter.
func isTooLong(err error) bool {
	status := statusOf(err)
	if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge && status != http.StatusInternalServerError {
		return false
	}
	text := strings.ToLower(err.Error())
	if e, ok := err.(*openai.APIError); ok {
		if code, ok := e.Code.(string); ok {
			text += " " + strings.ToLower(code)
		}
		text += " " + strings.ToLower(e.Type)
	}
	return slices.ContainsFunc(tooLong, func(words string) bool { return strings.Contains(text, words) })
}

// omitted stands where something was left out.
const omitted = "\n\n[… what was said and done here is left out …]"

// forget leaves out the older half of what was said after the first prompt, in
// whole turns. It returns false if nothing can be left out: the first prompt
// has the task, and the last is the question.
func (a *Agent) forget() bool {
	turns := len(a.history) / 2 // those that have an answer
	if turns < 2 {
		return false
	}
	if !strings.HasSuffix(a.history[0].Content, omitted) {
		a.history[0].Content += omitted
	}
	// From the first answer on, up to before an answer: some models insist on
	// the two taking turns.
	a.history = slices.Delete(a.history, 1, 1+turns/2*2)
	return true
}
