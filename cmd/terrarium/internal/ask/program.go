package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

const (
	// ProgramTimeout is how long a program may take over an answer.
	ProgramTimeout = 2 * time.Minute

	maxQuestion = 1 << 20  // bytes of JSON that a program gets
	maxAnswer   = 64 << 10 // bytes that it may print
)

// A Program is a Way to a program, which is started for each question. It reads one JSON object, on
// a line, and prints another: {"answer":"once"}, or "session", "always" or "no", with which
// "message" has words for the agent. All else it does is a no: it fails, takes longer than
// ProgramTimeout, or prints something else. What it leaves running is killed.
type Program struct {
	// Host runs it. It need not be the one that commands run on.
	Host driver.Host
	// Line is a shell line, or the path of a program.
	Line string
	// Stderr, if set, gets what it writes there.
	Stderr io.Writer
}

var _ Way = (*Program)(nil)

// A programQuestion is what a program reads.
type programQuestion struct {
	Version  int      `json:"version"` // 1
	Session  string   `json:"session"`
	Terminal string   `json:"terminal"`
	Via      string   `json:"via"`  // "shell", "args" or "file"
	Line     string   `json:"line"` // as the agent has sent it; with "shell" a shell line
	Argv     []string `json:"argv"`
	Path     string   `json:"path"` // what would be executed
	Cwd      string   `json:"cwd"`
	Env      []string `json:"env"`             // names of added variables
	Place    string   `json:"place,omitempty"` // where it runs, if not here
	// "off" if there is none; of a place, as is said there.
	Sandbox string `json:"sandbox"`
	// What it asks for that other commands don't have: "without a sandbox".
	More     string       `json:"more"`
	Commands []simpleJSON `json:"commands"` // the simple commands of the line
	Reason   string       `json:"reason"`   // why it is asked about
	// What "always" would allow; empty: it can't be answered.
	Always []string `json:"always"`
	Text   string   `json:"text"` // all of it for a person, in lines that are safe to show
}

type simpleJSON struct {
	Argv      []string       `json:"argv"`
	Through   []string       `json:"through"`
	Assigns   []string       `json:"assigns"`
	Redirects []redirectJSON `json:"redirects"`
	Decision  string         `json:"decision"`
	Rule      string         `json:"rule"`
	Reason    string         `json:"reason"`
}

type redirectJSON struct {
	Op     string `json:"op"`
	Target string `json:"target"`
	Write  bool   `json:"write"`
}

// Ask implements Way.
func (p *Program) Ask(ctx context.Context, q *Question) (Answer, error) {
	question, err := q.json(acpconn.SessionOf(ctx, q.Exec.Command.Session))
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex // guards said
	var said []byte
	d := driver.New(driver.Config{
		Host: p.Host,
		Core: core.Config{KillGrace: -1},
		OnOutput: func(_ core.TerminalID, stream uint8, b []byte) {
			if stream == 2 {
				if p.Stderr != nil {
					p.Stderr.Write(b) // who does not listen misses it
				}
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if said = append(said, b[:min(len(b), maxAnswer-len(said))]...); len(said) == maxAnswer {
				cancel(fmt.Errorf("it has printed %d bytes, which is too much", maxAnswer))
			}
		},
	})
	exit, err := p.run(ctx, d, question)
	d.Close() // nothing of it is left now
	mu.Lock()
	defer mu.Unlock()
	switch {
	case err != nil:
		return Answer{}, fmt.Errorf("--ask-command: %w", err)
	case exit.Reason == core.ReasonTimeout:
		return Answer{}, fmt.Errorf("--ask-command has not answered within %v", ProgramTimeout)
	case exit.Status != core.ExitStatus{}:
		return Answer{}, errors.New("--ask-command has ended with " + exit.Status.String())
	}
	return parseAnswer(said)
}

// run returns when the program has ended, or ctx.
func (p *Program) run(ctx context.Context, d *driver.Driver, question []byte) (core.Exit, error) {
	term, err := d.Create(ctx, "", core.Command{Command: p.Line, Interactive: true, OutputByteLimit: -1, Timeout: ProgramTimeout})
	if ctx.Err() != nil { // it may have printed too much before Create has returned
		return core.Exit{}, context.Cause(ctx)
	}
	if err != nil {
		if ctx.Err() != nil { // it has printed too much before we knew that it runs
			err = context.Cause(ctx)
		}
		return core.Exit{}, err
	}
	// It need not read what it is asked, and may have ended.
	_, _ = term.Write(question)
	_ = term.CloseInput()
	exit, err := term.Wait(ctx)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return exit, err
}

// parseAnswer reads what a program has printed.
func parseAnswer(said []byte) (Answer, error) {
	var in struct {
		Answer  string `json:"answer"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(said, &in); err != nil {
		return Answer{}, errors.New(`--ask-command has not printed one JSON object: want {"answer":"once"}`)
	}
	for c := No; c <= Always; c++ {
		if c.String() == in.Answer {
			return Answer{c, in.Message}, nil
		}
	}
	return Answer{}, errors.New("--ask-command has printed no answer that is known: want once, session, always or no")
}

// json returns q as a program reads it: a line of JSON, in which no character does anything to a
// terminal. session is q's, as the client knows it.
func (q *Question) json(session core.SessionID) ([]byte, error) {
	e := q.Exec
	out := programQuestion{
		Version: 1, Session: string(session), Terminal: string(q.Terminal),
		Via: string(e.Via), Line: e.Command.Command, Argv: e.Argv, Path: e.Path, Cwd: e.Command.Cwd, Place: q.Place,
		Env: []string{}, Sandbox: q.Sandbox, More: e.Terms, Commands: []simpleJSON{}, Reason: q.Verdict.Reason, Always: []string{}, Text: q.Text(),
	}
	if out.Sandbox == "" {
		out.Sandbox = "off"
	}
	if q.CanAlways {
		out.Always = q.AlwaysText()
	}
	for _, v := range e.Command.Env {
		out.Env = append(out.Env, v.Name)
	}
	for _, c := range q.Verdict.Commands {
		s := simpleJSON{
			Argv: append([]string{}, c.Argv...), Through: append([]string{}, c.Through...), Assigns: append([]string{}, c.Assigns...),
			Redirects: []redirectJSON{}, Decision: c.Decision.String(), Reason: c.Reason,
		}
		if c.Rule != nil {
			s.Rule = c.Rule.ID
		}
		for _, r := range c.Redirects {
			s.Redirects = append(s.Redirects, redirectJSON{Op: r.Op, Target: r.Target, Write: r.Write})
		}
		out.Commands = append(out.Commands, s)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	line := escape(b.Bytes())
	if len(line) > maxQuestion {
		return nil, fmt.Errorf("the command is too long for --ask-command: %d bytes", len(line))
	}
	return line, nil
}

// escape writes what is not printable as JSON does it. Such characters are inside strings only, but
// for the end of the line.
func escape(line []byte) []byte {
	out := make([]byte, 0, len(line))
	for _, r := range string(line) {
		switch {
		case unicode.IsPrint(r) || r == '\n':
			out = append(out, string(r)...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
