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
