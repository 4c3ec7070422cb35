package bash

import (
	"cmp"
	"io"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	modes "github.com/terrarium-dev/terrarium/plugins/fs"
	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// spawn runs a module as a process of its own, and returns its exit status.
func spawn(env tool.Env, name string, args []string) (status int, err error) {
	args, remove, err := substituted(env, args)
	if err != nil {
		return 0, err
	}
	defer remove()
	c := &proc.Cmd{Name: name, Args: args, Env: env.Environ, Dir: env.Dir}
	s := &streams{}
	defer s.closeAll()
	if c.Stdin, err = s.input(env.Stdin); err != nil {
		return 0, err
	}
	if c.Stdout, err = s.output(env.Stdout); err != nil {
		return 0, err
	}
	if c.Stderr = c.Stdout; env.Stderr != env.Stdout {
		if c.Stderr, err = s.output(env.Stderr); err != nil {
			return 0, err
		}
	}
	c.PID = process.Of(env.Context).Number()
	mask := env.Umask()
	if err := modes.Creating(0o666&^mask, 0o777&^mask, c.Start); err != nil {
		return 0, err
	}
	s.started()
	if env.Context.Done() != nil {
		ended := make(chan struct{})
		defer close(ended)
		go func() { // ends with the command
			select {
			case <-env.Context.Done():
				c.Kill()
			case <-ended:
			}
		}()
	}
	exit, err := c.Wait()
	s.outputs.Wait()
	if why := lastWords(exit); why != "" && env.Stderr != nil {
		io.WriteString(env.Stderr, tool.Escape(path.Base(name))+": "+why+"\n")
	}
	return exit.ExitStatus(), err
}

// lastWords says why a module was ended that could not say so itself. It is "" for all others.
func lastWords(exit proc.Status) string {
	switch {
	case exit.Kind == proc.Exceeded && exit.Code == outOfMemory:
		return "out of memory"
	case exit.Kind == proc.Trapped:
		return "ended by a trap, as abort() and a wrong address are"
	}
	return ""
}

// substituted puts files in the place of process substitutions to read, which only our own commands
// can open. What they have to say is in them when the module starts.
func substituted(env tool.Env, args []string) (_ []string, remove func(), err error) {
	var files []string
	remove = func() {
		for _, f := range files {
			os.Remove(f)
		}
	}
	for i, arg := range args {
		in, _, ok := env.Descriptor(arg)
		if !ok || in == nil {
			continue
		}
		if len(files) == 0 {
			args = slices.Clone(args)
		}
		f, err := os.CreateTemp("", "substitution")
		if err != nil {
			remove()
			return nil, nil, err
		}
		files, args[i] = append(files, f.Name()), f.Name()
		_, err = io.Copy(f, in)
		if err = cmp.Or(err, f.Close()); err != nil {
			remove()
			return nil, nil, err
		}
	}
	return args, remove, nil
}

// outOfMemory is the code of that limit in hostwasm's ABI.md.
const outOfMemory = 2

// streams connect a process to what is no file: by pipes, and goroutines that
// copy.
type streams struct {
	child   []*os.File // ends that the process has
	ours    []*os.File
	outputs sync.WaitGroup
}

// input returns a file to read what r has.
func (s *streams) input(r io.Reader) (*os.File, error) {
	if f, ok := r.(*os.File); ok || r == nil {
		return f, nil
	}
	pr, pw, err := proc.Pipe()
	if err != nil {
		return nil, err
	}
	s.child, s.ours = append(s.child, pr), append(s.ours, pw)
	go func() { // ends when r does, or nobody reads any longer
		io.Copy(pw, r)
		pw.Close()
	}()
	return pr, nil
}

// output returns a file whose output goes to w.
func (s *streams) output(w io.Writer) (*os.File, error) {
	if f, ok := w.(*os.File); ok || w == nil {
		return f, nil
	}
	pr, pw, err := proc.Pipe()
	if err != nil {
		return nil, err
	}
	s.child, s.ours = append(s.child, pw), append(s.ours, pr)
	s.outputs.Go(func() { // ends when the process does
		io.Copy(w, pr)
		pr.Close() // so that the process learns that nobody reads w any longer
	})
	return pw, nil
}

// started closes what the process has for itself now.
func (s *streams) started() {
	for _, f := range s.child {
		f.Close()
	}
	s.child = nil
}

func (s *streams) closeAll() {
	s.started()
	for _, f := range s.ours {
		f.Close()
	}
}
