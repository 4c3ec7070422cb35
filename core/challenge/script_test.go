package challenge_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

// TestScripts runs testdata/machine/*.txt. A line is what happens to the
// machine, the indented lines below it are what it then wants:
//
//	start [json|xml] [strict] [turns=N] [answer=D] [timeout=D] [idle=N] [guide=TEXT]
//	view "ROWS" [history="ROWS"] [top=N] [rows=N] [alternate]
//	answer TEXT
//	truncated TEXT
//	ready N
//	agent ended
//	terminal ended
//	+DURATION                  time goes by, up to each deadline on the way
//
// \n in TEXT is a backslash and an n, \| is a line break.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/machine/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("got %d scripts (%v), want some", len(scripts), err)
	}
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := story{now: time.Unix(0, 0)}
			for line := range strings.Lines(string(want)) {
				if strings.HasPrefix(line, "  ") {
					continue
				}
				s.out.WriteString(line)
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					if err := s.step(line); err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					s.drain()
				}
			}
			if *update {
				if err := os.WriteFile(path, []byte(s.out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), s.out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A story is a script that is being run.
type story struct {
	m   *challenge.Machine
	now time.Time
	out strings.Builder
}

func (s *story) step(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	text := strings.ReplaceAll(rest, `\|`, "\n")
	switch {
	case verb == "start":
		return s.start(rest)
	case verb == "view":
		v, err := parseView(rest)
		s.m.HandleView(s.now, v)
		return err
	case verb == "answer":
		s.m.HandleAnswer(s.now, text)
	case verb == "truncated":
		s.m.HandleTruncated(s.now, text)
	case verb == "ready":
		n, err := strconv.Atoi(rest)
		s.m.HandleReady(s.now, n)
		return err
	case line == "agent ended":
		s.m.HandleAgentEnd(s.now, errors.New("it crashed"))
	case line == "terminal ended":
		s.m.HandleTerminalEnd(s.now)
	case verb[0] == '+':
		return s.pass(verb[1:])
	default:
		return errors.New("no such verb")
	}
	return nil
}

func (s *story) start(options string) (err error) {
	c := challenge.Config{Instruction: "Do it."}
	for option := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "json", "xml":
			c.Parser.Format, _ = challenge.ParseFormat(name)
		case "strict":
			c.Parser.Strict = true
		case "turns":
			c.MaxTurns, err = strconv.Atoi(value)
		case "idle":
			c.MaxIdle, err = strconv.Atoi(value)
		case "answer":
			c.AnswerTimeout, err = time.ParseDuration(value)
		case "timeout":
			c.Timeout, err = time.ParseDuration(value)
		case "guide":
			c.Guide = value
		default:
			err = errors.New("no such option: " + option)
		}
		if err != nil {
			return err
		}
	}
	s.m = challenge.New(c)
	s.m.Start(s.now)
	return nil
}

func parseView(s string) (v challenge.View, err error) {
	quoted := func(rest string) (text string, after string) {
		prefix, err := strconv.QuotedPrefix(rest)
		if err != nil {
			panic(err)
		}
		text, _ = strconv.Unquote(prefix)
		return text, strings.TrimSpace(rest[len(prefix):])
	}
	v.Screen, s = quoted(s)
	if rest, ok := strings.CutPrefix(s, "history="); ok {
		v.History, s = quoted(rest)
	}
	for option := range strings.FieldsSeq(s) {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "top":
			v.Top, err = strconv.ParseUint(value, 10, 64)
		case "rows":
			v.Rows, err = strconv.Atoi(value)
		case "alternate":
			v.Alternate = true
		default:
			err = errors.New("no such option: " + option)
		}
		if err != nil {
			return v, err
		}
	}
	return v, nil
}

// pass lets time go by.
func (s *story) pass(d string) error {
	duration, err := time.ParseDuration(d)
	if err != nil {
		return err
	}
	end := s.now.Add(duration)
	for {
		at, ok := s.m.Deadline()
		if !ok || at.After(end) {
			s.now = end
			return nil
		}
		s.now = at
		s.m.HandleTimeout(at)
		s.drain()
	}
}

// drain writes down what the machine wants.
func (s *story) drain() {
	for e, ok := s.m.NextEffect(); ok; e, ok = s.m.NextEffect() {
		fmt.Fprintf(&s.out, "  %v %v", s.now.Sub(time.Unix(0, 0)), e.Kind)
		switch e.Kind {
		case challenge.Look:
			fmt.Fprintf(&s.out, " from %d\n", e.From)
		case challenge.Ask:
			fmt.Fprintf(&s.out, " %d\n", e.Turn)
			for line := range strings.Lines(e.Prompt + "\n") {
				fmt.Fprintf(&s.out, "    | %s\n", strings.TrimRight(line, "\n"))
			}
		case challenge.Type:
			fmt.Fprintf(&s.out, " %d %q, wait %v", e.Number, e.Keystrokes, e.Wait)
			if e.Early {
				s.out.WriteString(" at most")
			}
			s.out.WriteString("\n")
		case challenge.Done:
			fmt.Fprintf(&s.out, ": %v", e.Outcome)
			if e.Err != nil {
				fmt.Fprintf(&s.out, ": %v", e.Err)
			}
			s.out.WriteString("\n")
		}
	}
}
