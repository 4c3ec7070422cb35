package cc

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/absent"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// module is the command that has LLVM's programs. It is the one that its first argument names.
const module = "llvm"

// maxPlan is how long a plan may be, in bytes.
const maxPlan = 16 << 20

// notFound is the exit status where there is no compiler.
const notFound = 127

// A compilation is one call of cc.
type compilation struct {
	env   *tool.Env
	files [3]*os.File // standard streams
	// launch runs one of LLVM's programs, by the name that is the first of args, and returns its
	// exit status.
	launch func(args []string, streams [3]*os.File, environ []string) (status int, err error)
}

func run(e *tool.Env, args []string) int {
	c := &compilation{env: e}
	c.launch = c.start
	streams := e.Child()
	for i, s := range []any{streams.Stdin, streams.Stdout, streams.Stderr} {
		c.files[i], _ = s.(*os.File)
	}
	status, err := c.run(drivers[path.Base(args[0])], args[1:])
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errors.ErrUnsupported):
		advice, _ := absent.Advice("cc")
		e.Errorf("%s", advice)
		return notFound
	case err != nil:
		e.Errorf("%s", tool.Strerror(err))
		return 1
	}
	return status
}

// run compiles and links what args say. What is temporary is in a directory of its own, and goes
// with it.
func (c *compilation) run(driver string, args []string) (status int, err error) {
	all := slices.Concat([]string{driver}, defaults(), args)
	if slices.Contains(args, "-###") {
		return c.launch(all, c.files, c.env.Environ)
	}
	for _, arg := range args {
		// A complaint of clang's that quotes it would read as a job.
		if strings.Contains(arg, "\n \"") {
			c.env.Errorf("%s can't be told from a plan of clang: give the file another name", c.env.Quote(arg))
			return 1, nil
		}
	}
	dir, err := os.MkdirTemp(c.env.Getenv("TMPDIR"), "cc-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	text, status, err := c.plan(dir, all)
	if err != nil {
		return 0, err
	}
	jobs, complaints := parsePlan(text)
	// There is nothing to do, as for --version, or clang keeps a complaint to itself while it is
	// asked for a plan, as of no files. It says so when it is run for good.
	if len(jobs) == 0 && status == 0 {
		return c.launch(all, c.files, c.env.Environ)
	}
	if slices.Contains(args, "-v") {
		complaints = text
	}
	io.WriteString(c.env.Stderr, complaints)
	if status != 0 {
		return status, nil
	}
	return c.carryOut(jobs)
}

// plan asks clang what is to be done. It names temporary files in dir.
func (c *compilation) plan(dir string, call []string) (text string, status int, err error) {
	file, err := os.Create(path.Join(dir, "plan"))
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	environ := slices.DeleteFunc(slices.Clone(c.env.Environ), func(kv string) bool { return strings.HasPrefix(kv, "TMPDIR=") })
	status, err = c.launch(slices.Insert(slices.Clone(call), 1, "-###"), [3]*os.File{nil, nil, file}, append(environ, "TMPDIR="+dir))
	if err != nil {
		return "", 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", 0, err
	}
	b, err := io.ReadAll(io.LimitReader(file, maxPlan))
	return string(b), status, err
}

// carryOut does the jobs in turn, but those that read what one that failed has not written. It
// returns the first status that is not 0.
func (c *compilation) carryOut(jobs []job) (status int, err error) {
	var lost []string
	for _, j := range jobs {
		if slices.ContainsFunc(lost, func(file string) bool { return slices.Contains(j, file) }) {
			continue
		}
		if j.links() {
			// The linker would speak of features that the C library lacks.
			if slices.Contains(j, "--shared-memory") {
				c.env.Errorf("error: -pthread: there are no threads in this sandbox: leave it out")
				return 1, nil
			}
			j = j.withEmulated()
		}
		ended, err := c.launch(append([]string{path.Base(j[0])}, j[1:]...), c.files, c.env.Environ)
		switch {
		case err != nil:
			return 0, err
		case ended == 0 && j.links():
			if err := c.executable(j.output()); err != nil {
				return 0, err
			}
			continue
		case ended == 0:
			continue
		case j.links():
			c.env.Errorf("error: linker command failed with exit code %d (use -v to see invocation)", ended)
		}
		if file := j.output(); file != "" {
			lost = append(lost, file)
		}
		if status == 0 {
			status = ended
		}
	}
	return status, nil
}

// executable makes a program of what the linker has written: WASI knows no modes. It may be written
// to /dev/null.
func (c *compilation) executable(name string) error {
	if info, err := c.env.Stat(name); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return c.env.Chmod(name, 0o777&^c.env.Umask())
}

// start is launch in the sandbox.
func (c *compilation) start(args []string, streams [3]*os.File, environ []string) (status int, err error) {
	cmd := &proc.Cmd{Name: module, Args: args, Env: environ, Dir: c.env.Dir, Stdin: streams[0], Stdout: streams[1], Stderr: streams[2]}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended, err := cmd.Wait()
	if ended.Kind == proc.Exceeded {
		c.env.Errorf("%s was ended: it would have used more than it may: terrarium's --memory is for more of that", args[0])
	}
	return ended.ExitStatus(), err
}
