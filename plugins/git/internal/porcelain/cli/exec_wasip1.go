package cli

import (
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// A program is one that runs beside this one, and reads what it writes.
type program struct {
	cmd  *proc.Cmd
	pipe *os.File
}

func (p *program) start(args, env []string, stdout *os.File) (io.Writer, error) {
	r, w, err := proc.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p.cmd, p.pipe = &proc.Cmd{Name: args[0], Args: args, Env: env, Dir: "", Stdin: r, Stdout: stdout, Stderr: os.Stderr}, w
	if err := p.cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (p *program) wait() {
	p.pipe.Close()
	p.cmd.Wait()
}

// columns is how wide the terminal is that f is; 0 if it is none.
func columns(f *os.File) int {
	t, err := proc.TerminalOf(f)
	if err != nil {
		return 0
	}
	return max(t.Cols, 1)
}
