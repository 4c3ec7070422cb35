package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// A program is one that runs beside this one, and reads what it writes.
type program struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

func (p *program) start(args, env []string, stdout *os.File) (io.Writer, error) {
	p.cmd = exec.Command(args[0], args[1:]...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, stdout, os.Stderr
	w, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.pipe = w
	err = p.cmd.Start()
	if errors.Is(err, exec.ErrNotFound) {
		err = os.ErrNotExist
	}
	return w, err
}

func (p *program) wait() {
	p.pipe.Close()
	p.cmd.Wait()
}

// columns is how wide the terminal is that f is; 0 if it is none.
func columns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return max(int(size.Col), 1)
}
