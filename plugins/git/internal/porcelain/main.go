// Package porcelain has git's commands: it reads their arguments and prints what git 2.39 prints.
package porcelain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const version = "git version 2.39.5 (Terrarium)"

// A call is one run of a command.
type call struct {
	name           string
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	output
	paginate paginate
	repo     *repo.Repo // nil for commands that need none
	config   []repo.Setting
}

// A failure ends a command with a status. Its text is printed if there is one.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

// fatal is what git can't go on after.
func fatal(format string, args ...any) error {
	return &failure{128, "fatal: " + fmt.Sprintf(format, args...)}
}

// wrong is what one command can't do.
func wrong(format string, args ...any) error {
	return &failure{1, "error: " + fmt.Sprintf(format, args...)}
}

// quiet ends with a status and no word.
func quiet(status int) error { return &failure{status, ""} }

type command struct {
	run      func(*call) error
	usage    string
	anywhere bool // whether it works outside a repository
	bare     bool // whether it works without a working tree
	pages    bool // whether a person reads it through a pager
}

// Main runs git with these arguments and returns its status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &call{stdin: stdin, output: newOutput(stdout)}
	c.stdout, c.stderr = c.buffer, flushing{&c.output, stderr}
	err := c.start(args)
	c.buffer.Flush()
	stderr = c.complain(stderr)
	defer c.finish()
	var f *failure
	switch {
	case err == nil:
		return 0
	case errors.As(err, &f):
		if f.text != "" {
			fmt.Fprintln(stderr, strings.TrimSuffix(f.text, "\n"))
		}
		return f.status
	}
	fmt.Fprintln(stderr, "fatal:", err)
	return 128
}

// flushing keeps the two outputs in order.
type flushing struct {
	first *output
	w     io.Writer
}

func (f flushing) Write(p []byte) (int, error) {
	f.first.buffer.Flush()
	return f.first.complain(f.w).Write(p)
}

// start reads what stands before the command's name.
func (c *call) start(args []string) error {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch a := args[0]; {
		case a == "--version" || a == "-v":
			fmt.Fprintln(c.stdout, version)
			return nil
		case a == "--help" || a == "-h":
			return help(c)
		case a == "--no-pager" || a == "-P":
			c.paginate, args = never, args[1:]
		case a == "-p" || a == "--paginate":
			c.paginate, args = always, args[1:]
		case a == "--literal-pathspecs" || a == "--no-optional-locks":
			args = args[1:]
		case (a == "-C" || a == "-c") && len(args) < 2:
			return &failure{129, fmt.Sprintf("no directory given for %s\n%s", a, usage)}
		case a == "-C":
			if err := os.Chdir(args[1]); err != nil {
				return fatal("cannot change to '%s': %s", args[1], reason(err))
			}
			args = args[2:]
		case a == "-c":
			key, value, has := strings.Cut(args[1], "=")
			if !has {
				value = "true"
			}
			c.config = append(c.config, repo.Setting{Key: key, Value: value})
			args = args[2:]
		case strings.HasPrefix(a, "--git-dir=") || strings.HasPrefix(a, "--work-tree="):
			name, value, _ := strings.Cut(a, "=")
			os.Setenv(map[string]string{"--git-dir": "GIT_DIR", "--work-tree": "GIT_WORK_TREE"}[name], value)
			args = args[1:]
		default:
			return &failure{129, fmt.Sprintf("unknown option: %s\n%s", a, usage)}
		}
	}
	if len(args) == 0 {
		help(c)
		return quiet(1)
	}
	return c.dispatch(args[0], args[1:])
}

func (c *call) dispatch(name string, args []string) error {
	cmd, ok := commands()[name]
	if why, known := refused[name]; known {
		return fatal("%s: %s", name, why)
	}
	if slices.Contains(absent, name) {
		return fatal("%s: %s", name, notSupported)
	}
	if !ok {
		return &failure{1, fmt.Sprintf("git: '%s' is not a git command. See 'git --help'.", name)}
	}
	if len(args) == 1 && cmd.usage != "" && (args[0] == "-h" || args[0] == "--help") {
		c.printf("usage: %s\n", cmd.usage)
		if args[0] == "-h" {
			return quiet(129) // as git does
		}
		return nil
	}
	c.name, c.args = name, args
	r, err := repo.Find()
	switch {
	case err == nil:
		c.repo = r
		r.Config.Override(c.config)
	case !errors.Is(err, repo.ErrNone) || !cmd.anywhere:
		return fatal("%v", err)
	}
	if c.repo != nil && c.repo.Top == "" && !cmd.bare && !cmd.anywhere {
		return fatal("this operation must be run in a work tree")
	}
	if cmd.pages || c.pagesAll() {
		c.page()
	}
	err = cmd.run(c)
	var o *option.Error
	if errors.As(err, &o) {
		text := "error: " + o.Text
		if o.Unknown {
			text += "\nusage: " + cmd.usage
		}
		return &failure{129, text}
	}
	return err
}

// parse reads the command's options.
func (c *call) parse(description string) (*option.Result, error) {
	return option.Parse(c.args, description)
}

func (c *call) printf(format string, args ...any) { fmt.Fprintf(c.stdout, format, args...) }

// reason is what went wrong with a file, in the C library's words.
func reason(err error) string {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "No such file or directory"
	case errors.Is(err, os.ErrExist):
		return "File exists"
	case errors.Is(err, os.ErrPermission):
		return "Permission denied"
	}
	return err.Error()
}
