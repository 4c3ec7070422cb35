package harness

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A speaker is a Host of agents that say the same, whatever they are asked.
type speaker []speech

type speech struct {
	pause time.Duration // before it
	text  string
}

func (speaker) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Path: "/agent", Argv: []string{"agent"}, Via: core.ViaArgs}, nil
}

func (s speaker) Start(context.Context, core.Exec) (driver.Process, error) {
	return &speaking{says: s, closed: make(chan struct{})}, nil
}

type speaking struct {
	says   speaker
	closed chan struct{}
}

func (p *speaking) Output(sink func(uint8, []byte)) error {
	for _, s := range p.says {
		time.Sleep(s.pause)
		sink(1, []byte(s.text))
	}
	<-p.closed
	return nil
}

func (p *speaking) Wait() (core.Exit, error)    { <-p.closed; return core.Exit{}, nil }
func (p *speaking) Close() error                { p.Signal(""); return nil }
func (p *speaking) Write(b []byte) (int, error) { return len(b), nil }
func (p *speaking) CloseInput() error           { return nil }
func (p *speaking) Resize(rows, cols int) error { return nil }
func (p *speaking) Signal(string) error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

// TestUnfinishedAnswers asks agents that do not end what they say.
func TestUnfinishedAnswers(t *testing.T) {
	const never = 5 * time.Minute
	for _, test := range []struct {
		name   string
		says   speaker
		wire   Wire
		format challenge.Format
		want   string
		after  time.Duration
	}{
		{"a bracket closed by a brace", speaker{{0, `{"commands": [}` + "\n"}}, WireJSON, challenge.JSON, `{"commands": [}` + "\n", brokenQuiet},
		{"no quotes", speaker{{0, "{commands: [\n"}}, WireJSON, challenge.JSON, "{commands: [\n", brokenQuiet},
		{"no newline either", speaker{{0, "{commands: ["}}, WireJSON, challenge.JSON, "{commands: [", brokenQuiet},
		{"broken in pieces", speaker{{0, "{commands: [\n"}, {brokenQuiet / 2, "]}\n"}}, WireJSON, challenge.JSON, "{commands: [\n]}", brokenQuiet / 2},
		{"a brace is missing", speaker{{0, `{"commands": []` + "\n"}}, WireJSON, challenge.JSON, `{"commands": []` + "\n", unfinishedQuiet},
		{"slow", speaker{{0, "{\"a\":\n"}, {4 * time.Second, "[\n"}, {4 * time.Second, "1]}\n"}}, WireJSON, challenge.JSON, "{\"a\":\n[\n1]}", 8 * time.Second},
		{"in the midst of a line", speaker{{0, `{"a":`}, {time.Minute, "1}\n"}}, WireJSON, challenge.JSON, `{"a":1}`, time.Minute},
		{"a response without end", speaker{{0, "<response>\n<commands>\n"}}, WireJSON, challenge.XML, "<response>\n<commands>\n", unfinishedQuiet},
		{"text", speaker{{0, "{I think\n"}, {time.Second, "so}\x00"}}, WireText, challenge.JSON, "{I think\nso}", time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			child, err := Start(t.Context(), ChildConfig{Host: test.says, Command: core.Command{Command: "agent"}, Wire: test.wire, Format: test.format})
			if err != nil {
				t.Fatal(err)
			}
			defer child.Close()
			ctx, cancel := context.WithTimeout(t.Context(), never)
			defer cancel()
			begin := time.Now()
			answer, err := child.Ask(ctx, Request{})
			if took := time.Since(begin); err != nil || answer != test.want || took != test.after {
				t.Errorf("%s: got %q, %v after %v, want %q after %v", test.name, answer, err, took, test.want, test.after)
			}
		})
	}
}
