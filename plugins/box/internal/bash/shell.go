// Package bash is bash, and sh: mvdan.cc/sh with the commands of the box.
package bash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Commands returns bash and sh, which are the same.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "bash", Usage: "[OPTION]... [-c COMMAND | FILE] [ARGUMENT]...", Like: "GNU bash 5.2", Trouble: 2, Run: run},
		{Name: "sh", Usage: "[OPTION]... [-c COMMAND | FILE] [ARGUMENT]...", Like: "GNU bash 5.2", Trouble: 2, Run: run},
	}
}

const help = `GNU bash, version 5.2.15(1)-compatible (Terrarium box)
Usage:	bash [GNU long option] [option] ...
	bash [GNU long option] [option] script-file ...
GNU long options:
	--help
	--init-file
	--login
	--noediting
	--noprofile
	--norc
	--posix
	--rcfile
	--version
Shell options:
	-ilrsD or -c command or -O shopt_option		(invocation only)
	-abefhkmnptuvxBCEHPT or -o option
`

// A script is what a shell runs, and under which name.
type script struct {
	name  string   // $0; it begins messages
	from  string   // what messages say besides: "-c"
	text  string   // the commands
	args  []string // $1 and so on
	set   []string // options for set
	shopt []string // options for shopt: -s or -u, and a name

	rc          string    // what an interactive shell runs first, "" for .bashrc
	noRC        bool      // nothing
	noEditing   bool      // what is typed is not edited by the shell
	dash        bool      // it was called as sh, which is dash on Debian
	interactive bool      // it is a person's
	lines       bool      // it comes line by line
	terminal    *terminal // where that person is, if ^C comes from there
}

// run is the commands' Run.
func run(env *tool.Env, args []string) int {
	s, status := parse(env, args)
	if s == nil {
		return status
	}
	return s.run(env)
}

// parse reads the command line. Without a script the status is how to end.
func parse(env *tool.Env, args []string) (*script, int) {
	s := &script{name: args[0], dash: path.Base(args[0]) == "sh"}
	command, stdin, asked := false, false, false
	rest := args[1:]
	for len(rest) > 0 && rest[0] != "" && (rest[0][0] == '-' || rest[0][0] == '+') {
		option := rest[0]
		rest = rest[1:]
		if option == "--" || option == "-" {
			break
		}
		if strings.HasPrefix(option, "--") {
			switch option {
			case "--version":
				fmt.Fprintln(env.Out, "GNU bash, version 5.2.15(1)-compatible (Terrarium box)")
				return nil, 0
			case "--help":
				fmt.Fprint(env.Out, help)
				return nil, 0
			case "--norc":
				s.noRC = true
				continue
			case "--posix":
				s.set = append(s.set, "-o", "posix")
				continue
			case "--noediting":
				s.noEditing = true
				continue
			case "--noprofile", "--login":
				continue
			case "--rcfile", "--init-file":
				if len(rest) == 0 {
					env.Errorf("%s: option requires an argument", option)
					return nil, 2
				}
				s.rc, rest = rest[0], rest[1:]
				continue
			}
			env.Errorf("%s: invalid option", option)
			return nil, 2
		}
		for _, letter := range option[1:] {
			switch letter {
			case 'c':
				command = true
			case 's':
				stdin = true
			case 'i':
				asked = true
			case 'l', 'p':
			case 'O':
				if len(rest) == 0 {
					s.shopt = append(s.shopt, "-p")
					break
				}
				s.shopt = append(s.shopt, map[byte]string{'-': "-s", '+': "-u"}[option[0]], rest[0])
				rest = rest[1:]
			case 'o':
				if len(rest) == 0 {
					env.Errorf("-o: option requires an argument")
					return nil, 2
				}
				s.set = append(s.set, option[:1]+"o", rest[0])
				rest = rest[1:]
			case 'a', 'b', 'e', 'f', 'h', 'k', 'm', 'n', 't', 'u', 'v', 'x', 'B', 'C', 'E', 'H', 'P', 'T':
				s.set = append(s.set, option[:1]+string(letter))
			default:
				env.Errorf("%c%c: invalid option", option[0], letter)
				return nil, 2
			}
		}
	}
	s.interactive = asked
	switch {
	case command && len(rest) == 0:
		env.Errorf("-c: option requires an argument")
		return nil, 2
	case command:
		s.text, s.from = rest[0], "-c"
		if len(rest) > 1 {
			s.name, s.args = rest[1], rest[2:]
		}
	case len(rest) > 0 && !stdin:
		return s.load(env, rest)
	case asked || isTerminal(env.Child().Stdin):
		s.interactive, s.lines, s.args = true, true, rest
	default:
		text, err := tool.ReadAll(env.Stdin)
		if err != nil {
			env.Errorf("standard input: %s", tool.Strerror(err))
			return nil, 1
		}
		s.text, s.args = string(text), rest
	}
	return s, 0
}

// load reads the script that rest begins with.
func (s *script) load(env *tool.Env, rest []string) (*script, int) {
	name := rest[0]
	text, err := env.ReadFile(name)
	if err != nil {
		if s.dash && errors.Is(err, os.ErrNotExist) {
			env.Errorf("0: cannot open %s: No such file", name)
			return nil, 2
		}
		env.Errorf("%s: %s", name, tool.Strerror(err))
		if errors.Is(err, os.ErrNotExist) {
			return nil, 127
		}
		return nil, 126
	}
	if line, _, _ := strings.Cut(string(text), "\n"); strings.Contains(line, "\x00") {
		env.Errorf("%s: cannot execute binary file", name)
		return nil, 126
	}
	s.name, s.text, s.args = name, string(text), rest[1:]
	return s, 0
}

// run runs the script to its end.
func (s *script) run(env *tool.Env) int {
	if s.lines {
		s.terminal = openTerminal(env.Context, env.Child().Stdin)
	}
	runner, err := s.runner(env)
	if err != nil {
		env.Errorf("%v", err)
		return 2
	}
	for i := 0; i+1 < len(s.shopt); i += 2 {
		if runner.Eval(env.Context, "-O", "shopt "+s.shopt[i]+" -- "+tool.QuoteAlways(s.shopt[i+1])) != 0 {
			return 2
		}
	}
	if s.interactive {
		runner.Interact()
		if !s.noRC {
			err := runner.SourceFile(env.Context, cmp.Or(s.rc, env.Getenv("HOME")+"/.bashrc"))
			if runner.Exited() {
				return s.status(env, err)
			}
		}
	}
	if s.lines {
		return s.interact(env, runner)
	}
	return s.status(env, runner.RunScript(env.Context, s.name, s.text))
}

// keepKey is that of what bounds what the interpreter keeps, which can't import this package: see
// terminalsKey.
var keepKey = struct{ Keep struct{} }{}

// execKey is that of what runs a command of the box, in the context of a shell inside a shell,
// whose own Exec starts them.
type execKey struct{}

func (s *script) runner(env *tool.Env) (interpreter, error) {
	h := &handlers{script: s, exec: env.Exec, has: env.Has}
	if outer, ok := env.Context.Value(execKey{}).(func(tool.Env, []string) int); ok {
		h.exec = outer
	}
	env.Context = context.WithValue(env.Context, execKey{}, h.exec)
	env.Context = context.WithValue(env.Context, keepKey, tool.Keep)
	env.Context = context.WithValue(env.Context, terminalsKey, terminals{env.Stderr, new(sync.Once)})
	r, err := interp.New(
		interp.Env(expand.ListEnviron(s.environ(env)...)),
		interp.Dir(env.Dir),
		interp.StdIO(s.terminal.input(env.Child().Stdin), env.Stdout, env.Child().Stderr),
		interp.Interactive(s.interactive),
		interp.Params(append(append(s.set, "--"), s.args...)...),
		interp.CallHandler(h.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return h.execute }),
		interp.AccessHandler(h.access),
		interp.OpenHandler(h.open),
	)
	if err != nil {
		return nil, err
	}
	p := patched(r, env.Child().Stderr)
	p.Umask(int(env.Umask()))
	p.Executable(sys.Executable)
	return p, nil
}

// environ is the environment, with what this shell is told by it. The interpreter exports no
// BASH_EXECUTION_STRING: it is how it knows that the commands are the argument of -c.
func (s *script) environ(env *tool.Env) []string {
	const argument = "BASH_EXECUTION_STRING="
	level, _ := strconv.Atoi(env.Getenv("SHLVL"))
	list := slices.DeleteFunc(slices.Clone(env.Environ), func(v string) bool { return strings.HasPrefix(v, argument) })
	list = append(list, "SHLVL="+strconv.Itoa(level+1))
	if s.from != "" {
		list = append(list, argument+s.text)
	}
	return list
}

// status is what the shell exits with when running has ended with err.
func (s *script) status(env *tool.Env, err error) int {
	var status interp.ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return 130
	}
	env.Errorf("%v", err)
	return 1
}
