package llm

import (
	"context"
	"strings"

	"github.com/sashabaranov/go-openai"

	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// When there is more to read than a model can, the task is handed over to one
// that begins anew, in three requests as terminus-2 makes them: the old one sums
// up what it did, the new one asks what it still wants to know, and the old one
// answers. The new one has then read the task, the summary, its own questions
// and the answers, and goes on.

// A HandOver is how a task passed from a model that has read too much to one
// that begins anew.
type HandOver struct {
	Step      int    `json:"step"` // the turn in which it was
	Summary   string `json:"summary"`
	Questions string `json:"questions"`
	Answers   string `json:"answers"`
}

// What is left free of what a model can read, for its answer and a screen. In
// tokens, as terminus-2 has it; but no more than a part of a small model.
const (
	reserve     = 8000
	reservePart = 4
)

// unwound is how much of the end of the history is left out when its model is
// asked to sum up, to make room for that: 4,000 tokens in terminus-2. A token is
// about four bytes; and here too it is no more than a part.
const (
	unwound     = 16 << 10
	unwoundPart = 8
)

// maxPart is how much of a summary, of questions or of answers is kept, in bytes.
// A small model's are no longer than an eighth of what it can read.
const maxPart = 32 << 10

func (a *Agent) maxPart() int {
	if a.config.Context > 0 {
		return min(maxPart, 4*a.config.Context/8)
	}
	return maxPart
}

// crowded reports whether there is hardly room for another turn. It can only be
// known from what the server counts, and where somebody said how much there is.
func (a *Agent) crowded() bool {
	return a.config.Context > 0 && a.read > a.config.Context-min(reserve, a.config.Context/reservePart)
}

// handOver makes the history short. It returns false if nothing could be made
// of it, and an error if the server can't be asked any more.
func (a *Agent) handOver(ctx context.Context, r harness.Request) (done bool, err error) {
	old := a.history[:len(a.history)-1] // without the question
	if len(old) == 0 {
		return false, nil
	}
	h := HandOver{Step: r.Step}
	var summing []openai.ChatCompletionMessage
	for old = unwind(old); ; old = old[:len(old)/4*2] { // half of the turns
		summing = append(old[:len(old):len(old)], said(summaryPrompt(r)))
		if h.Summary, err = a.part(ctx, summing); !isTooLong(err) || len(old) < 4 {
			break
		}
	}
	if err == nil {
		h.Questions, err = a.part(ctx, []openai.ChatCompletionMessage{said(questionPrompt(r, h.Summary))})
	}
	if err == nil {
		h.Answers, err = a.part(ctx, append(summing, answered(h.Summary), said(answerPrompt(h.Questions))))
	}
	switch {
	case isTooLong(err), err == nil && (h.Summary == "" || h.Questions == "" || h.Answers == ""):
		return false, nil
	case err != nil:
		return false, err
	}
	a.history = []openai.ChatCompletionMessage{ // in turn, which some models insist on
		said(a.first + "\n\n" + questionPrompt(r, h.Summary)),
		answered(h.Questions),
		said("Here are the answers of the agent before you:\n\n" + h.Answers + "\n\nYou can't ask it anything more. Go on with the task " +
			"from here, and answer in the format that you were told first.\n\n" + r.Prompt),
	}
	if a.OnHandOver != nil {
		a.OnHandOver(h)
	}
	return true, nil
}

// part asks for a part of a HandOver.
func (a *Agent) part(ctx context.Context, messages []openai.ChatCompletionMessage) (string, error) {
	text, _, err := a.complete(ctx, messages)
	if limit := a.maxPart(); len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + " […]"
	}
	return strings.TrimSpace(text), err
}

// unwind returns turns without the last of them, but for the first.
func unwind(turns []openai.ChatCompletionMessage) []openai.ChatCompletionMessage {
	size := 0
	for _, m := range turns {
		size += len(m.Content)
	}
	free := min(unwound, size/unwoundPart)
	for len(turns) > 2 && free > 0 {
		last := turns[len(turns)-2:]
		free -= len(last[0].Content) + len(last[1].Content)
		turns = turns[:len(turns)-2]
	}
	return turns
}

// forget leaves out everything but the task and the question. It returns false
// if there is nothing else.
func (a *Agent) forget(r harness.Request) bool {
	if len(a.history) < 2 {
		return false
	}
	a.history = []openai.ChatCompletionMessage{said(a.first + "\n\n[… what was said and done here is left out …]\n\n" + r.Prompt)}
	return true
}

func summaryPrompt(r harness.Request) string {
	return "You are about to hand your work over to another agent, who knows nothing of it. Don't go on with the task now: sum up, in words, " +
		"all that happened so far.\n\nThe task was: " + r.Instruction + "\n\n" +
		`Cover
1. what was done: each command that mattered, and what came of it;
2. what was learned: files and where they are, settings, error messages, the state of the system;
3. what was difficult, and how it was solved;
4. where the task stands: what is done, what is left, and what you would do next.

Be complete and exact. The other agent can't see anything of this.`
}

func questionPrompt(r harness.Request, summary string) string {
	return "You take over the work of another agent on a task.\n\nThe task: " + r.Instruction +
		"\n\nWhat the other agent says of it:\n" + summary +
		"\n\nThe terminal as it is now:\n" + r.Screen + "\n\n" +
		"Begin by asking the other agent at least five questions about the state of things, which its summary does not answer. " +
		"You can't ask again later: ask for all that you need to know. For now answer with the questions alone."
}

func answerPrompt(questions string) string {
	return "The other agent has some questions. Answer them one by one, with all that you know:\n\n" + questions
}

func said(text string) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: text}
}

func answered(text string) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: text}
}
