package client

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/text"
)

// A Plain is a View that writes lines: what the agent says to one writer, and what it does to
// another, which may be the same. Lines of a terminal begin with its number, so that those of
// several can be told apart.
type Plain struct {
	said, did io.Writer
	failed    func(error)

	mu        sync.Mutex // guards the fields below
	terminals map[string]*plainTerminal
	count     int
	open      bool   // what was said last has no line feed at its end
	message   string // the id of the message that was said or thought last
	thought   strings.Builder
	broken    bool
}

// NewPlain returns a Plain. failed is called when a write has failed, once.
func NewPlain(said, did io.Writer, failed func(error)) *Plain {
	return &Plain{said: said, did: did, failed: failed, terminals: make(map[string]*plainTerminal)}
}

var _ View = (*Plain)(nil)

// A plainTerminal makes lines of what a terminal's command writes.
type plainTerminal struct {
	mark    string
	command string
	render  *render.Stream
	lines   render.Buffer
}

func newText() *render.Stream { return render.NewStream(new(text.Folder)) }

// Show implements View.
func (p *Plain) Show(e Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case Updated:
		p.updated(e)
	case Started:
		p.start(e)
	case Output:
		if t := p.terminals[e.ID]; t != nil {
			p.output(t, e)
		}
	case Exited:
		if t := p.terminals[e.ID]; t != nil {
			t.render.Flush(&t.lines)
			p.flush(t)
			p.line(t.mark + ExitText(e))
			delete(p.terminals, e.ID)
		}
	case Stopped:
		p.endThought()
		p.endSaid()
	default:
		p.lines(Words(e))
	}
}

func (p *Plain) start(e Started) {
	t := p.terminals[e.ID]
	if t != nil && t.command == e.Command {
		return
	}
	if t == nil {
		p.count++
		t = &plainTerminal{mark: "[" + strconv.Itoa(p.count) + "] ", render: newText()}
		p.terminals[e.ID] = t
	}
	t.command = e.Command
	for i, line := range strings.Split(e.Command, "\n") {
		mark := "$ "
		if i > 0 {
			mark = "> "
		}
		p.line(t.mark + mark + Clean(line))
	}
}

func (p *Plain) output(t *plainTerminal, e Output) {
	if e.Anew {
		t.render, t.lines = newText(), nil
		p.line(t.mark + AnewText)
	}
	t.render.Write(&t.lines, 1, e.Data)
	p.flush(t)
}

func (p *Plain) updated(u Updated) {
	if u.Kind != "agent_thought_chunk" {
		p.endThought()
	}
	switch u.Kind {
	case "agent_message_chunk":
		if u.Message != p.message {
			p.endSaid()
		}
		if p.message = u.Message; u.Text != "" {
			p.write(p.said, cleanText(u.Text))
			p.open = !strings.HasSuffix(u.Text, "\n")
		}
	case "agent_thought_chunk":
		if u.Message != p.message {
			p.endThought()
		}
		p.message = u.Message
		p.thought.WriteString(u.Text)
		if p.thought.Len() > maxText {
			p.endThought()
		}
	default:
		p.lines(Words(u))
	}
}

// endThought writes what the agent has thought.
func (p *Plain) endThought() {
	thought := strings.TrimRight(p.thought.String(), "\n")
	p.thought.Reset()
	if thought == "" {
		return
	}
	for line := range strings.SplitSeq(thought, "\n") {
		p.line("~ " + Clean(line))
	}
}

// flush writes the lines that a terminal has come to.
func (p *Plain) flush(t *plainTerminal) {
	for line := range strings.Lines(string(t.lines)) {
		p.line(t.mark + Clean(strings.TrimSuffix(line, "\n")))
	}
	t.lines = t.lines[:0]
}

func (p *Plain) lines(lines []string) {
	for _, line := range lines {
		p.line(line)
	}
}

// line writes a line of what is done.
func (p *Plain) line(s string) {
	p.endSaid()
	p.write(p.did, s+"\n")
}

// endSaid ends the line that the agent is saying.
func (p *Plain) endSaid() {
	if p.open {
		p.write(p.said, "\n")
		p.open = false
	}
}

func (p *Plain) write(w io.Writer, s string) {
	if p.broken {
		return
	}
	if _, err := io.WriteString(w, s); err != nil {
		p.broken = true
		p.failed(err)
	}
}

// Clean returns a line of text so that it does nothing to a terminal: blanks of all kinds become
// plain ones, a tab eight or less, and what can't be seen is escaped as in Go.
func Clean(line string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && unicode.In(r, unicode.Zs, unicode.Cc) }) {
		return printable.Text(line)
	}
	var b strings.Builder
	column := 0
	for _, r := range line {
		switch {
		case r == '\t':
			n := 8 - column%8
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		case unicode.Is(unicode.Zs, r):
			r = ' '
		}
		b.WriteRune(r)
		column++
	}
	return printable.Text(b.String())
}

// cleanText is Clean for several lines.
func cleanText(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		content, ended := strings.CutSuffix(line, "\n")
		b.WriteString(Clean(strings.TrimSuffix(content, "\r")))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
