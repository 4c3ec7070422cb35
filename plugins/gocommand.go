package plugins

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A goRun runs the go command in a directory.
type goRun struct {
	command string
	dir     string
	log     io.Writer // or nil
}

// run runs "go ARG…". If that fails, the error has the end of all that it wrote.
func (r goRun) run(ctx context.Context, args ...string) error {
	said := &tail{next: r.log}
	return r.do(ctx, said, said, args)
}

// output returns what "go ARG…" writes to its standard output.
func (r goRun) output(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := r.do(ctx, &limited{&out, maxRecord}, &tail{next: r.log}, args)
	return strings.TrimSpace(out.String()), err
}

// do runs "go ARG…". Where out and said are one, one goroutine writes to it.
func (r goRun) do(ctx context.Context, out io.Writer, said *tail, args []string) error {
	cmd := exec.CommandContext(ctx, r.command, args...)
	cmd.Dir, cmd.Env = r.dir, goEnv()
	cmd.Stdout, cmd.Stderr = out, said
	endWithChildren(cmd)
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		killChildren(cmd)
		return cause
	}
	if err != nil {
		return &BuildError{Command: "go " + args[0], Err: err, Output: said.String()}
	}
	return nil
}

// goEnv returns the environment of the go command: the user's, with their proxies, their
// checksum database and their caches, but for what would build another program.
func goEnv() []string {
	return append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOEXPERIMENT=", "GO111MODULE=on", "GOWORK=off",
		// A repository around the stage is none of the build's.
		"GOFLAGS=-mod=readonly -buildvcs=false")
}

// A BuildError is a go command that failed.
type BuildError struct {
	Command string // "go run"
	Err     error
	Output  string // the end of what it wrote, in lines
}

func (e *BuildError) Error() string {
	return e.Command + ": " + e.Err.Error() + ": " + strings.Join(strings.Fields(e.Output), " ")
}

func (e *BuildError) Unwrap() error { return e.Err }

// A tail keeps the end of what is written.
type tail struct {
	kept []byte
	next io.Writer // gets all of it, if not nil
}

const maxTail = 4 << 10 // bytes

func (t *tail) Write(p []byte) (int, error) {
	if t.next != nil {
		if n, err := t.next.Write(p); err != nil {
			return n, err
		}
	}
	t.kept = append(t.kept, p...)
	if cut := len(t.kept) - maxTail; cut > 0 {
		t.kept = append(t.kept[:0], t.kept[cut:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.ToValidUTF8(string(t.kept), "") }

// A limited writes up to a limit, and drops the rest.
type limited struct {
	to   *bytes.Buffer
	left int // bytes
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.to.Write(p[:n])
	return len(p), nil
}
