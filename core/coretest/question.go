package coretest

import (
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// Question returns what a question line asks about a command.
func (l Line) Question(e *core.Exec) acp.Question {
	q := acp.Question{Exec: e, Title: l.Get("title"), Text: l.Get("text")}
	for _, c := range l.Named["command"] {
		q.Commands = append(q.Commands, strings.Fields(c))
	}
	for i, o := range l.Named["option"] {
		kind, name, _ := strings.Cut(o, ":")
		q.Options = append(q.Options, acp.PermissionOption{OptionID: strconv.Itoa(i + 1), Name: name, Kind: kind})
	}
	return q
}

// showAnswer returns the observation of an answer about the terminal called name.
func showAnswer(name string, o acp.Outcome, err error) string {
	line := "< answer " + name
	switch {
	case err != nil:
		return line + " error=" + strconv.Quote(err.Error())
	case o.OptionID == "":
		line += " cancelled"
	default:
		line += " option=" + o.OptionID
	}
	if o.Text != "" {
		line += " text=" + strconv.Quote(o.Text)
	}
	return line
}

// question asks about a terminal, or stops that.
func (m *Machine) question(in Line, asker *acp.Asker, t core.TerminalID, out *[]string) {
	name := in.Word(0)
	if in.Verb == "cancel_question" {
		for id, asked := range m.asked {
			if asked == name {
				asker.Cancel(id)
				delete(m.asked, id)
			}
		}
		return
	}
	s, _ := m.backend.Status(t)
	q := in.Question(&s.Exec)
	q.Terminal = t
	id, err := asker.Ask(&q)
	if err != nil {
		*out = append(*out, showAnswer(name, acp.Outcome{}, err))
		return
	}
	m.asked[id] = name
}

// drainAnswers appends the answers that have come.
func (m *Machine) drainAnswers(out []string) []string {
	native, ok := m.backend.(nativeBackend)
	if !ok || native.Asker() == nil {
		return out
	}
	for a, ok := native.Asker().NextAnswer(); ok; a, ok = native.Asker().NextAnswer() {
		out = append(out, showAnswer(m.asked[a.ID], a.Outcome, a.Err))
		delete(m.asked, a.ID)
	}
	return out
}
