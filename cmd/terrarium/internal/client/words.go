package client

import (
	"cmp"
	"fmt"
	"strings"
)

// What a person reads of events, in lines that do nothing to a terminal.

// Words are the lines of an event. There are none for what the agent says and thinks, and for
// terminals.
func Words(e Event) (lines []string) {
	switch e := e.(type) {
	case Updated:
		switch {
		case e.Kind == "plan":
			lines = append(lines, "plan:")
			for _, s := range e.Plan {
				lines = append(lines, "  "+StepText(s))
			}
		case e.Kind == "notice":
			lines = append(lines, "agent: "+Clean(e.Text))
		case e.Call != nil:
			if e.Call.Changed {
				lines = append(lines, callText(e.Call))
			}
			for _, line := range callLines(e.Call) {
				lines = append(lines, "  "+Clean(line))
			}
		}
	case Refused:
		lines = append(lines, "a command did not start: "+Clean(strings.TrimPrefix(e.Err.Error(), "core: ")))
	case File:
		lines = append(lines, fileText(e))
	case Permitted:
		lines = append(lines, permittedText(e))
	case Warned:
		lines = append(lines, "terrarium: "+Clean(e.Err.Error()))
	}
	return lines
}

// callText is a tool call in a line.
func callText(c *Call) string {
	text := "tool: " + Clean(cmp.Or(c.Title, c.ID))
	if c.Kind != "" && c.Kind != "other" {
		text += " (" + Clean(c.Kind) + ")"
	}
	if c.Status != "" {
		text += ": " + Clean(c.Status)
	}
	return text
}

// callLines are the lines of what a tool call shows. A terminal shows elsewhere.
func callLines(c *Call) (lines []string) {
	if c.New {
		lines = append(lines, c.Places...)
	}
	return append(lines, first(detail(c.Content))...)
}

// first returns the first lines, and how many more there are.
func first(lines []string) []string {
	if left := len(lines) - maxDetail; left > 0 {
		return append(lines[:maxDetail:maxDetail], fmt.Sprintf("[… %d lines more …]", left))
	}
	return lines
}

// Lines are what a person has to know who answers, safe to show.
func (q *Question) Lines() []string {
	title := Clean(q.Title)
	if q.Kind != "" {
		title += " (" + Clean(q.Kind) + ")"
	}
	lines := []string{title}
	for _, line := range first(q.Detail) {
		lines = append(lines, "| "+Clean(clip(line, maxTitle)))
	}
	return lines
}

// StepText is an entry of a plan in a line.
func StepText(s Step) string {
	mark := map[string]string{"completed": "[x] ", "in_progress": "[>] "}[s.Status]
	return cmp.Or(mark, "[ ] ") + Clean(s.Content)
}

// ExitText says how a terminal's command has ended.
func ExitText(e Exited) string {
	text := "ended: " + Clean(e.Status.String())
	if e.Reason != "" {
		text += ": " + string(e.Reason)
	}
	return text
}

// AnewText stands before output that takes the place of all before.
const AnewText = "[all that it has written:]"

func fileText(e File) string {
	verb := "read"
	if e.Write {
		verb = "wrote"
	}
	if e.Err != nil {
		return fmt.Sprintf("file: not %s: %s: %s", map[bool]string{true: "written", false: "read"}[e.Write], Clean(clip(e.Path, maxTitle)), Clean(e.Err.Error()))
	}
	return fmt.Sprintf("file: %s %s, %d bytes", verb, Clean(clip(e.Path, maxTitle)), e.Bytes)
}

func permittedText(e Permitted) string {
	what := "permission: " + Clean(clip(e.Title, maxTitle)) + ": "
	switch {
	case e.By == "cancelled":
		return what + "no answer is needed any more"
	case e.Option == "":
		what += "no"
	default:
		what += Clean(e.Option)
	}
	by := map[string]string{"policy": "by the rules", "approve": "by --approve", "person": "by you", "none": ""}[e.By]
	if by != "" {
		what += " (" + by + ")"
	}
	if e.Why != "" {
		what += ": " + Clean(clip(e.Why, maxMessage))
	}
	return what
}
