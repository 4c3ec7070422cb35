package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/screentest"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

const testHelp = `usage: terrarium test [flags] FILE...

Runs scripts that sit at a terminal: each starts a program, types, waits for
what it shows, and compares the screen. Exits with 0 only if all went well.

  size COLSxROWS        start COMMAND         type TEXT        key NAME...
  resize COLSxROWS      wait TEXT|settled     wait exit [STATUS|SIGNAME]
  expect TEXT           ! expect TEXT         expect screen NAME    timeout D

are its lines, and "#" begins a comment. After them come files, each behind a
line "-- NAME --": screens, and what the program finds where it starts, which is
an empty directory. Names of keys are tmux's: Enter, C-c, Up. TEXT may be quoted
as in Go: "two\tparts". What is expected is waited for, 10s at the most; a size
that nobody has said is 80x24, and a status 0.

  --update                take the screens as they are for right, and write them
                          into FILE
  --env, --kill-grace, --host, --sandbox, --limit, --audit   as for run

An example is in docs/screens.md. Two scripts never see each other's files.
`

// testFlags are the flags of test.
type testFlags struct {
	commandFlags
	update bool
}

// maxScript is how long a script may be, in bytes.
const maxScript = 16 << 20

func newTest() *cobra.Command {
	var f testFlags
	f.inherit = true // a person has typed the names of the scripts
	cmd := &cobra.Command{
		Use:                   "test [flags] FILE...",
		Short:                 "test a program at a terminal by a script",
		Long:                  testHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, files []string) error {
			c, err := f.command()
			if err == nil && len(files) == 0 {
				err = errors.New("want a script")
			}
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.run(c, files, cmd.OutOrStdout())
		},
	}
	f.addPlace(cmd)
	cmd.Flags().BoolVar(&f.update, "update", false, "")
	return cmd
}

// run runs scripts one after the other, and tells how each went.
func (f *testFlags) run(c core.Command, files []string, w io.Writer) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	go func() { // left behind when we exit
		s := <-signals
		cancel(exitStatus(statusSignal + int(s.(syscall.Signal))))
	}()
	trail, err := f.audit.open()
	if err != nil {
		return err
	}
	defer trail.close()
	failed := 0
	for _, file := range files {
		began := time.Now()
		err := f.file(ctx, c, file, trail)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			fmt.Fprintf(w, "ok    %s  %.1fs\n", printable.Text(file), time.Since(began).Seconds())
			continue
		}
		failed++
		fmt.Fprintf(w, "FAIL  %s: %s\n%s", printable.Text(file), message(err), indent(evidence(err)))
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d failed", failed, len(files))
	}
	return nil
}

// evidence is what a person wants to see of a failure: how the screen differs, or the screen.
func evidence(err error) string {
	if d, ok := errors.AsType[*screentest.Difference](err); ok {
		return d.Diff
	}
	failure, ok := errors.AsType[*screentest.Failure](err)
	switch {
	case !ok:
		return ""
	case failure.Screen == "":
		return "the screen is blank\n"
	}
	return "the screen:\n" + failure.Screen
}

// indent returns lines as they are shown below a failure. What a script expects may be anything.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("      ")
		b.WriteString(printable.Text(strings.TrimSuffix(line, "\n")))
		b.WriteByte('\n')
	}
	return b.String()
}

// readScript reads a file until ctx is done: it may be a pipe, on which nothing comes.
func readScript(ctx context.Context, name string) ([]byte, error) {
	read := make(chan chunk, 1)
	go func() { // left behind when ctx is done
		text, err := readFile(name, maxScript)
		read <- chunk{text, err}
	}()
	select {
	case c := <-read:
		return c.p, c.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// file runs one script.
func (f *testFlags) file(ctx context.Context, c core.Command, name string, trail *trail) error {
	text, err := readScript(ctx, name)
	if err != nil {
		return err
	}
	script, err := screentest.Parse(text)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "terrarium-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c.Cwd, c.Roots = dir, []string{dir}
	host, err := f.open(&c, 0)
	if err != nil {
		return err
	}
	defer host.Close()
	judge, err := f.judge(true, ask.Config{}, dir)
	if err != nil {
		return err
	}
	d := driver.New(trail.wrap(driver.Config{Host: host, Core: f.config(nil), Decide: judge.decider()}))
	defer d.Close()
	if err := script.Run(ctx, screentest.Config{Driver: d, Session: "test", Command: c, Dir: dir, Update: f.update}); err != nil {
		return err
	}
	if !f.update {
		return nil
	}
	now, err := script.Bytes()
	if err != nil || bytes.Equal(now, text) {
		return err
	}
	return rewrite(name, now)
}

// rewrite replaces what a file holds. On a full disk it stays as it is.
func rewrite(name string, text []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".update-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // if it still has that name
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
