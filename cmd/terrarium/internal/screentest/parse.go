package screentest

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
)

// A Script is one that was understood.
type Script struct {
	archive *txtar.Archive
	steps   []step
	screens []string // names of the files that are compared with
}

// A step is a line, and what it does.
type step struct {
	line int // from 1
	text string
	do   action
}

type action func(*run) error

// verbs are what a line may begin with. Each is given the rest of the line.
var verbs = map[string]func(s *Script, rest string) (action, error){
	"size":    (*Script).size,
	"start":   (*Script).start,
	"type":    (*Script).types,
	"key":     (*Script).key,
	"resize":  (*Script).resize,
	"wait":    (*Script).wait,
	"expect":  (*Script).expect,
	"!":       (*Script).not,
	"timeout": (*Script).timeout,
}

// Parse reads a script. An error names the line that it is in.
func Parse(text []byte) (*Script, error) {
	s := &Script{archive: txtar.Parse(text)}
	started := false
	for i, line := range strings.Split(string(s.archive.Comment), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		verb := verbs[name]
		if verb == nil {
			words := strings.Join(slices.Sorted(maps.Keys(verbs)), " ")
			return nil, fmt.Errorf("line %d: unknown %.40q: want one of %s", i+1, name, words)
		}
		switch before := name == "size" || name == "timeout"; {
		case name == "start" && started, name == "size" && started:
			return nil, fmt.Errorf("line %d: %s after start", i+1, name)
		case !started && name != "start" && !before:
			return nil, fmt.Errorf("line %d: %s before start", i+1, name)
		}
		started = started || name == "start"
		do, err := verb(s, strings.TrimSpace(rest))
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", i+1, name, err)
		}
		s.steps = append(s.steps, step{i + 1, line, do})
	}
	if !started {
		return nil, errors.New("it starts nothing: want a line as in: start vi")
	}
	for _, f := range s.archive.Files {
		if !filepath.IsLocal(f.Name) {
			return nil, fmt.Errorf("file %.80q: not below the script's directory", f.Name)
		}
	}
	return s, nil
}

// unquote returns what TEXT means.
func unquote(text string) (string, error) {
	if text == "" {
		return "", errors.New("of what?")
	}
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	plain, err := strconv.Unquote(text)
	if err != nil {
		return "", fmt.Errorf("%s is not quoted as in Go", text)
	}
	return plain, nil
}

func (s *Script) size(rest string) (action, error) {
	cols, rows, err := cast.ParseSize(rest)
	return func(r *run) error {
		r.command.Cols, r.command.Rows = cols, rows
		return nil
	}, err
}

func (s *Script) start(rest string) (action, error) {
	if rest == "" {
		return nil, errors.New("of what?")
	}
	return func(r *run) error { return r.start(rest) }, nil
}

func (s *Script) types(rest string) (action, error) {
	text, err := unquote(rest)
	return func(r *run) error { return r.write([]byte(text)) }, err
}

func (s *Script) key(rest string) (action, error) {
	names := strings.Fields(rest)
	if len(names) == 0 {
		return nil, errors.New("which one?")
	}
	for _, name := range names {
		if !isKey(name) {
			return nil, fmt.Errorf("no key is called %.40q: names are tmux's, as in Enter, C-c, Up, F5", name)
		}
	}
	return func(r *run) error { return r.press(names) }, nil
}

func (s *Script) resize(rest string) (action, error) {
	cols, rows, err := cast.ParseSize(rest)
	return func(r *run) error { return r.resize(cols, rows) }, err
}

func (s *Script) wait(rest string) (action, error) {
	what, more, _ := strings.Cut(rest, " ")
	switch {
	case rest == "settled":
		return (*run).waitSettled, nil
	case what == "exit" && !strings.Contains(more, " "):
		if n, err := strconv.Atoi(more); more != "" && !strings.HasPrefix(more, "SIG") && (err != nil || n < 0 || n > 255) {
			return nil, fmt.Errorf("exit %s: want a status from 0 to 255, or a signal as in SIGTERM", more)
		}
		return func(r *run) error { return r.waitExit(more) }, nil
	}
	text, err := unquote(rest)
	return func(r *run) error { return r.waitText(text, true) }, err
}

func (s *Script) expect(rest string) (action, error) {
	name, ok := strings.CutPrefix(rest, "screen ")
	if !ok {
		text, err := unquote(rest)
		return func(r *run) error { return r.waitText(text, true) }, err
	}
	at := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	isNew := at < 0
	if isNew {
		s.archive.Files = append(s.archive.Files, txtar.File{Name: name}) // Update writes it
		at = len(s.archive.Files) - 1
	}
	s.screens = append(s.screens, name)
	return func(r *run) error {
		if isNew && !r.Update {
			return r.missing(name)
		}
		return r.expectScreen(&s.archive.Files[at])
	}, nil
}

func (s *Script) not(rest string) (action, error) {
	rest, ok := strings.CutPrefix(rest, "expect ")
	if !ok || strings.HasPrefix(rest, "screen ") {
		return nil, errors.New("only of: expect TEXT")
	}
	text, err := unquote(rest)
	return func(r *run) error { return r.waitText(text, false) }, err
}

func (s *Script) timeout(rest string) (action, error) {
	limit, err := time.ParseDuration(rest)
	switch {
	case err != nil:
		err = fmt.Errorf("%.40q: want a time with its unit, as in 500ms or 20s", rest)
	case limit <= 0:
		err = errors.New("not above 0")
	}
	return func(r *run) error {
		r.limit = limit
		return nil
	}, err
}
