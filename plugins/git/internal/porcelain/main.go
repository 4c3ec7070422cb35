// Package porcelain has the table of git's commands: it finds the one that the arguments name, and
// runs it. They print what git 2.39 prints.
package porcelain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const version = "git version 2.39.5 (Terrarium)"

type command struct {
	run      func(*cli.Call) error
	usage    string
	anywhere bool // whether it works outside a repository
	bare     bool // whether it works without a working tree
	pages    bool // whether a person reads it through a pager
}

// diedOfPipe is the status that shells have for a command that SIGPIPE has ended. Nobody reads what
// the command prints, and nobody has to be told.
const diedOfPipe = 128 + 13

// Main runs git with these arguments and returns its status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &cli.Call{Stdin: stdin, Output: cli.NewOutput(stdout)}
	c.Stdout, c.Stderr = c.Buffer, cli.Flushing{First: &c.Output, W: stderr}
	err := start(c, args)
	// WASI has no signals. Of a write that has failed the buffer knows until the end.
	if errors.Is(c.Buffer.Flush(), syscall.EPIPE) {
		return diedOfPipe
	}
	stderr = c.Complain(stderr)
	defer c.Finish()
	var f *cli.Failure
	switch {
	case err == nil:
		return 0
	case errors.As(err, &f):
		if f.Text != "" {
			fmt.Fprintln(stderr, strings.TrimSuffix(f.Text, "\n"))
		}
		return f.Status
	}
	fmt.Fprintln(stderr, "fatal:", err)
	return 128
}

// start reads what stands before the command's name.
func start(c *cli.Call, args []string) error {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch a := args[0]; {
		case a == "--version" || a == "-v":
			fmt.Fprintln(c.Stdout, version)
			return nil
		case a == "--help" || a == "-h":
			return help(c)
		case a == "--no-pager" || a == "-P":
			c.Paginate, args = cli.Never, args[1:]
		case a == "-p" || a == "--paginate":
			c.Paginate, args = cli.Always, args[1:]
		case a == "--literal-pathspecs" || a == "--no-optional-locks":
			args = args[1:]
		case (a == "-C" || a == "-c") && len(args) < 2:
			return &cli.Failure{Status: 129, Text: fmt.Sprintf("no directory given for %s\n%s", a, usage)}
		case a == "-C":
			if err := os.Chdir(args[1]); err != nil {
				return cli.Fatal("cannot change to '%s': %s", args[1], cli.Reason(err))
			}
			args = args[2:]
		case a == "-c":
			key, value, has := strings.Cut(args[1], "=")
			if !has {
				value = "true"
			}
			c.Config = append(c.Config, repo.Setting{Key: key, Value: value})
			args = args[2:]
		case strings.HasPrefix(a, "--git-dir=") || strings.HasPrefix(a, "--work-tree="):
			name, value, _ := strings.Cut(a, "=")
			os.Setenv(map[string]string{"--git-dir": "GIT_DIR", "--work-tree": "GIT_WORK_TREE"}[name], value)
			args = args[1:]
		default:
			return &cli.Failure{Status: 129, Text: fmt.Sprintf("unknown option: %s\n%s", a, usage)}
		}
	}
	if len(args) == 0 {
		help(c)
		return cli.Quiet(1)
	}
	return dispatch(c, args[0], args[1:])
}

func dispatch(c *cli.Call, name string, args []string) error {
	cmd, ok := commands()[name]
	if why, known := refused[name]; known {
		return cli.Fatal("%s: %s", name, why)
	}
	if slices.Contains(absent, name) {
		return cli.Fatal("%s: %s", name, notSupported)
	}
	if !ok {
		return &cli.Failure{Status: 1, Text: fmt.Sprintf("git: '%s' is not a git command. See 'git --help'.", name)}
	}
	if len(args) == 1 && cmd.usage != "" && (args[0] == "-h" || args[0] == "--help") {
		c.Printf("usage: %s\n", cmd.usage)
		if args[0] == "-h" {
			return cli.Quiet(129) // as git does
		}
		return nil
	}
	c.Name, c.Usage, c.Args = name, cmd.usage, args
	r, err := repo.Find()
	switch {
	case err == nil:
		c.Repo = r
		r.Config.Override(c.Config)
	case !errors.Is(err, repo.ErrNone) || !cmd.anywhere:
		return cli.Fatal("%v", err)
	}
	if c.Repo != nil && c.Repo.Top == "" && !cmd.bare && !cmd.anywhere {
		return cli.Fatal("this operation must be run in a work tree")
	}
	if cmd.pages || c.PagesAll() {
		c.Page()
	}
	err = cmd.run(c)
	var o *option.Error
	if errors.As(err, &o) {
		text := "error: " + o.Text
		if o.Unknown {
			text += "\nusage: " + cmd.usage
		}
		return &cli.Failure{Status: 129, Text: text}
	}
	return err
}
