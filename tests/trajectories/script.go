// Package trajectories has scripted agents do real tasks at a real terminal:
// what comes of them, and how long it takes.
//
// A task is a txtar archive in testdata. Its comment is the script:
//
//	needs PROGRAM…         what it takes; skipped where it is missing
//	only default           not what terminus-2 can do
//	only native            not what the sandbox can do
//	type SECONDS KEYS      keystrokes, quoted as in Go, and how long to wait
//	see REGEXP             the screen must show that; until then, wait by seconds
//
// Keystrokes up to the next see are one answer; a see comes last. Durations are those that the
// protocol's own text recommends: 0.1 s for cd and ls, 0.5 s for cat and grep, 1
// to 5 s for compilers, 5 to 30 s for make. Files are there when the task
// begins; those in want/ must be there when it ends.
package trajectories

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/terrarium-dev/terrarium/core/driver/harness/agent"
)

// A task is what an archive says.
type task struct {
	needs       []string
	onlyDefault bool
	onlyNative  bool
	steps       []step
	files, want map[string]string
}

// A step is a command to type, or something to wait for.
type step struct {
	command agent.Command
	see     *regexp.Regexp
}

func parse(archive *txtar.Archive) (*task, error) {
	t := &task{files: map[string]string{}, want: map[string]string{}}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			t.want[name] = string(f.Data)
		} else {
			t.files[f.Name] = string(f.Data)
		}
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if err := t.parseLine(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	if len(t.steps) == 0 || t.steps[len(t.steps)-1].see == nil {
		return nil, errors.New("want see behind the last keystrokes: with the task the shell ends, and with it what they began")
	}
	return t, nil
}

func (t *task) parseLine(line string) (err error) {
	verb, rest, _ := strings.Cut(line, " ")
	var s step
	switch verb {
	case "", "#":
		return nil
	case "needs":
		t.needs = append(t.needs, strings.Fields(rest)...)
		return nil
	case "only":
		t.onlyDefault, t.onlyNative = t.onlyDefault || rest == "default", t.onlyNative || rest == "native"
		return nil
	case "see":
		s.see, err = regexp.Compile("(?m)" + rest)
	case "type":
		seconds, keys, _ := strings.Cut(rest, " ")
		if s.command.Wait, err = time.ParseDuration(seconds + "s"); err == nil {
			s.command.Keystrokes, err = strconv.Unquote(keys)
		}
	default:
		return fmt.Errorf("no such verb: %s", verb)
	}
	t.steps = append(t.steps, s)
	return err
}

// A scripted agent does a task's steps.
type scripted struct {
	steps []step
	polls int
}

// maxPolls is how often it waits for what must show, a second each.
const maxPolls = 200

// Ask implements harness.Agent.
func (s *scripted) Ask(_ context.Context, r agent.Request) (string, error) {
	if strings.HasPrefix(r.Prompt, "Previous response had parsing errors") {
		return "", fmt.Errorf("the answer was not understood: %s", r.Prompt)
	}
	if len(s.steps) > 0 && s.steps[0].see != nil {
		if !s.steps[0].see.MatchString(r.Screen) {
			if s.polls++; s.polls > maxPolls {
				return "", fmt.Errorf("got\n%s\nwant %q in it", r.Screen, s.steps[0].see)
			}
			return answer(agent.Answer{Commands: []agent.Command{agent.Type("", time.Second)}})
		}
		s.steps = s.steps[1:]
	}
	var a agent.Answer
	for len(s.steps) > 0 && s.steps[0].see == nil {
		a.Commands = append(a.Commands, s.steps[0].command)
		s.steps = s.steps[1:]
	}
	a.Complete = len(s.steps) == 0
	return answer(a)
}

// answer returns a in its JSON form, by way of the package for agents.
func answer(a agent.Answer) (string, error) {
	var line strings.Builder
	err := agent.Serve(strings.NewReader("{}\n"), &line, func(agent.Request) (agent.Answer, error) { return a, nil })
	return line.String(), err
}
