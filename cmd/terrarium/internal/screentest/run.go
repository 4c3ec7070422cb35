package screentest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/txtar"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/keys"
	"github.com/terrarium-dev/terrarium/core/vt"
)

const (
	defaultCols    = 80
	defaultRows    = 24
	defaultTimeout = 10 * time.Second
	// settledAfter is for how long nothing must have come until a screen is settled.
	settledAfter = 500 * time.Millisecond
)

// Config says how a script runs.
type Config struct {
	Driver  *driver.Driver // with screens
	Session core.SessionID // of the terminal, which is closed at the end
	Command core.Command   // what the program gets besides: its environment, say
	Dir     string         // an empty directory that it starts in
	Update  bool           // screens that differ are taken for right, see Script.Bytes
}

// A Failure says which line of a script failed, and what the screen showed.
type Failure struct {
	Line   int // from 1
	Text   string
	Err    error
	Screen string // "" if there is none
}

func (f *Failure) Error() string { return fmt.Sprintf("line %d: %s: %v", f.Line, f.Text, f.Err) }

// Unwrap returns why.
func (f *Failure) Unwrap() error { return f.Err }

// A Difference is the error of a screen that is not as expected.
type Difference struct {
	Diff string // of lines, in unified form
}

func (*Difference) Error() string { return "the screen is another" }

// Run runs the script to its end, or to the line that fails: the error is a *Failure then. A
// program that still runs is killed.
func (s *Script) Run(ctx context.Context, c Config) error {
	if err := s.writeFiles(c.Dir); err != nil {
		return err
	}
	r := &run{Config: c, ctx: ctx, limit: defaultTimeout, command: c.Command}
	r.command.Cols, r.command.Rows = defaultCols, defaultRows
	defer c.Driver.CloseSession(c.Session)
	for _, step := range s.steps {
		if err := step.do(r); err != nil {
			return &Failure{step.line, step.text, err, r.shown()}
		}
	}
	return nil
}

// writeFiles writes those that are no screens.
func (s *Script) writeFiles(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range s.archive.Files {
		if slices.Contains(s.screens, f.Name) {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(f.Name, f.Data, 0o755); err != nil { // a script, perhaps
			return err
		}
	}
	return nil
}

// Bytes returns the script as a file, with the screens that Update has changed. A screen with a
// line that txtar takes for the name of a file is an error.
func (s *Script) Bytes() ([]byte, error) {
	text := txtar.Format(s.archive)
	if n := len(txtar.Parse(text).Files); n != len(s.archive.Files) {
		return nil, errors.New("a line of a screen looks like the beginning of a file, as in: -- NAME --")
	}
	return text, nil
}

// A run is a script that runs.
type run struct {
	Config
	ctx     context.Context
	limit   time.Duration
	command core.Command
	term    *driver.Terminal
}

func (r *run) start(line string) (err error) {
	c := r.command
	c.Command, c.Args, c.Cwd = line, nil, r.Dir
	c.Pty, c.Interactive, c.Screen = true, true, true
	c.OutputByteLimit = -1
	r.term, err = r.Driver.Create(r.ctx, r.Session, c)
	return err
}

func (r *run) write(p []byte) error {
	if _, err := r.term.Write(p); err != nil {
		return err
	}
	return r.within(func(ctx context.Context) error { return r.term.Flush(ctx) })
}

func (r *run) press(names []string) error {
	modes := r.term.KeyModes()
	var p []byte
	for _, name := range names {
		p, _ = keys.Append(p, name, modes)
	}
	return r.write(p)
}

func isKey(name string) bool {
	_, ok := keys.Append(nil, name, keys.Modes{})
	return ok
}

func (r *run) resize(cols, rows int) error { return r.term.Resize(rows, cols) }

// within has f give up when the time is over.
func (r *run) within(f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(r.ctx, r.limit)
	defer cancel()
	err := f(ctx)
	if errors.Is(err, context.DeadlineExceeded) && r.ctx.Err() == nil {
		return fmt.Errorf("not within %v", r.limit)
	}
	return err
}

// waitText waits until the screen shows text in a row, or in rows with newlines between them; or,
// if it is not wanted, until it does not.
func (r *run) waitText(text string, wanted bool) error {
	return r.within(func(ctx context.Context) error {
		err := r.term.WaitForScreen(ctx, func(s *vt.Screen) bool {
			return strings.Contains(string(s.AppendText(nil)), text) == wanted
		})
		if !errors.Is(err, driver.ErrNotShown) {
			return err
		}
		got, err := r.ended(ctx)
		if err != nil {
			return err
		}
		return fmt.Errorf("it has ended before, with %s", got)
	})
}

func (r *run) waitSettled() error {
	return r.within(func(ctx context.Context) error { return r.term.WaitForQuiet(ctx, settledAfter) })
}

// waitDrawn is waitSettled for a screen that nobody has looked at yet. On a busy machine a program
// may take longer to begin than a screen to settle, so a blank screen counts only if it stays blank
// for as long as the script waits for anything.
func (r *run) waitDrawn() error {
	_ = r.within(func(ctx context.Context) error {
		return r.term.WaitForScreen(ctx, func(s *vt.Screen) bool { return len(s.AppendText(nil)) > 0 })
	}) // an error means that it is blank
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.waitSettled()
}

// ended waits for the end, and returns the status, or the name of the signal.
func (r *run) ended(ctx context.Context) (string, error) {
	exit, err := r.term.Wait(ctx)
	if err != nil {
		return "", err
	}
	if exit.Status.Signal != "" {
		return exit.Status.Signal, nil
	}
	return strconv.Itoa(int(exit.Status.ExitCode)), nil
}

// waitExit waits for a status, or the name of a signal.
func (r *run) waitExit(want string) error {
	return r.within(func(ctx context.Context) error {
		got, err := r.ended(ctx)
		if err != nil {
			return err
		}
		if want == "" {
			want = "0"
		}
		if got != want {
			return fmt.Errorf("it has ended with %s", got)
		}
		return nil
	})
}

// missing is the failure of a screen that the script does not have yet. It waits for what Update
// would write, so that a person sees that.
func (r *run) missing(name string) error {
	if err := r.waitDrawn(); err != nil {
		return err
	}
	return fmt.Errorf("the script has no screen %q yet: --update writes the one below", name)
}

// expectScreen waits until the screen is as a file says.
func (r *run) expectScreen(file *txtar.File) error {
	if r.Update {
		err := r.waitDrawn()
		file.Data = []byte(r.shown())
		return err
	}
	want := trim(string(file.Data))
	err := r.within(func(ctx context.Context) error {
		return r.term.WaitForScreen(ctx, func(s *vt.Screen) bool { return string(s.AppendText(nil)) == want })
	})
	if err == nil || r.ctx.Err() != nil {
		return err
	}
	return &Difference{string(diff.Diff(file.Name, []byte(want), "screen", []byte(r.shown())))}
}

// shown returns the screen as text, without what is blank at the end of lines and of the screen.
func (r *run) shown() (text string) {
	if r.term == nil {
		return ""
	}
	r.term.Screen(func(s *vt.Screen) { text = string(s.AppendText(nil)) })
	return text
}

// trim returns text as shown does.
func trim(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	text = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if text != "" {
		text += "\n"
	}
	return text
}
