package mcp

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
)

// Elicitation asks the user of the client whose command it is, if the client has said that it can:
// by the protocol's elicitation, as a form with one choice.
type Elicitation struct{}

var _ ask.Way = Elicitation{}

// A question is on its way to a client.
type question struct {
	q      *ask.Question
	answer chan reply // has room for one
}

type reply struct {
	answer ask.Answer
	err    error
}

// errLeft is the reason where a client has gone, or has not come back, with the question open.
var errLeft = errors.New("the client has left the question open")

// Ask implements ask.Way.
func (Elicitation) Ask(ctx context.Context, q *ask.Question) (ask.Answer, error) {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok || !c.asks {
		return ask.Answer{}, ask.ErrNobody
	}
	asked := &question{q, make(chan reply, 1)}
	select {
	case c.questions <- asked:
	case <-c.gone:
		return ask.Answer{}, ask.ErrNobody
	case <-ctx.Done():
		return ask.Answer{}, ctx.Err()
	}
	select {
	case r := <-asked.answer:
		return r.answer, r.err
	case <-c.gone:
		return ask.Answer{}, errLeft
	case <-ctx.Done():
		return ask.Answer{}, ctx.Err()
	}
}

// choices are what a form offers, with what they say to a person.
func (q *question) choices() (values, titles []string) {
	add := func(c ask.Choice, title string) {
		values, titles = append(values, c.String()), append(titles, title)
	}
	add(ask.Once, "Allow once")
	if q.q.CanSession() {
		add(ask.Session, "Allow this line until the server ends")
	}
	if q.q.CanAlways {
		add(ask.Always, "Allow these until the server ends: "+strings.Join(q.q.AlwaysText(), ", "))
	}
	add(ask.No, "Don't start it")
	return values, titles
}

// form is q as a client shows it. The names of choices are in "enumNames" too, which clients of
// 2025-06-18 know, and "oneOf" would be refused by some of those.
func (q *question) form() *sdk.ElicitParams {
	values, titles := q.choices()
	return &sdk.ElicitParams{
		Mode:    "form",
		Message: "May this command start?\n" + q.q.Text(),
		RequestedSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"answer": map[string]any{
					"type": "string", "title": "May it start?", "enum": values, "enumNames": titles,
				},
				"message": map[string]any{
					"type": "string", "title": "Words for the agent, if it may not",
				},
			},
			"required": []string{"answer"},
		},
	}
}

// reply is what a client has sent for q. All that is no clear yes is a no.
func (q *question) reply(r *sdk.ElicitResult) reply {
	if r.Action != "accept" {
		return reply{}
	}
	said, _ := r.Content["answer"].(string)
	values, _ := q.choices()
	for c := ask.Once; c <= ask.Always; c++ {
		for _, v := range values {
			if said == v && c.String() == v {
				return reply{answer: ask.Answer{Choice: c}}
			}
		}
	}
	message, _ := r.Content["message"].(string)
	return reply{answer: ask.Answer{Message: message}}
}
