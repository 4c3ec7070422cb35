// Package node has node, which runs plain scripts for Node.js with the plugin that answers to
// "qjs", a QuickJS. That knows nothing of Node.js: what scripts expect is in prelude.js, and there
// are no packages of npm.
package node

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/absent"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/proc"
)

//go:embed prelude.js
var prelude string

// Commands returns this family's command. It runs as a process of its own, with standard streams
// that are files.
func Commands() []tool.Command {
	return []tool.Command{{Name: "node", Usage: "[-e CODE | -p CODE | FILE] [ARG]...", Like: "QuickJS", Trouble: badUsage, Optional: true, Run: run}}
}

// Exit statuses.
const (
	badUsage = 9 // as of Node.js
	notFound = 127
)

// A script is what the prelude is told.
type script struct {
	argv, environ   []string
	cwd, file, code string
	print           bool
	check           string // the name of the file that code is of, which is only to be looked at
}

// literal returns the script as an object of JavaScript.
func (s *script) literal() string {
	var b strings.Builder
	b.WriteString("{argv: [")
	for _, arg := range s.argv {
		b.WriteString(quote(arg) + ",")
	}
	b.WriteString("], env: {")
	for _, kv := range s.environ {
		name, value, _ := strings.Cut(kv, "=")
		b.WriteString("[" + quote(name) + "]: " + quote(value) + ",")
	}
	fmt.Fprintf(&b, "}, cwd: %s, file: %s, code: %s, print: %t, check: %s}", quote(s.cwd), quote(s.file), quote(s.code), s.print, quote(s.check))
	return b.String()
}

// quote returns text as JavaScript has it between quotation marks.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func run(e *tool.Env, args []string) int {
	s := script{cwd: e.Dir, environ: e.Environ}
	if status, done := s.parse(e, args[1:]); done {
		return status
	}
	status, err := s.run(e)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errors.ErrUnsupported):
		advice, _ := absent.Advice("node")
		e.Errorf("%s", advice)
		return notFound
	case err != nil:
		e.Errorf("%s", tool.Strerror(err))
		return 1
	}
	return status
}

// parse reads the command line. done says that there is nothing to run.
func (s *script) parse(e *tool.Env, args []string) (status int, done bool) {
	s.argv = []string{"/bin/node"}
	option := ""
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		option, args = args[0], args[1:]
	}
	switch option {
	case "":
	case "--":
	case "-v", "--version":
		e.Out.WriteString("QuickJS, which node is in this sandbox: plain scripts run, and no packages of npm\n")
		return 0, true
	case "-e", "--eval", "-p", "--print", "-pe":
		if len(args) == 0 {
			e.Errorf("%s requires an argument", option)
			return badUsage, true
		}
		s.code, s.print = args[0], option != "-e" && option != "--eval"
		s.argv = append(s.argv, args[1:]...)
		return 0, false
	case "-c", "--check":
		if len(args) != 1 {
			e.Errorf("%s wants one FILE", option)
			return badUsage, true
		}
		code, err := e.ReadFile(args[0])
		if err != nil {
			e.Errorf("Cannot find module %s: %s", e.Quote(e.Path(args[0])), tool.Strerror(err))
			return 1, true
		}
		s.code, s.check = string(code), args[0]
		return 0, false
	default:
		e.Errorf("%s: not here: node is QuickJS in this sandbox: node FILE, -e CODE, -p CODE", option)
		return badUsage, true
	}
	if len(args) > 0 && args[0] != "-" {
		s.file = e.Path(args[0])
		if _, err := e.Stat(args[0]); errors.Is(err, fs.ErrNotExist) && path.Ext(s.file) == "" {
			s.file += ".js"
		}
		if _, err := e.Stat(s.file); err != nil {
			e.Errorf("Cannot find module %s: %s", e.Quote(e.Path(args[0])), tool.Strerror(err))
			return 1, true
		}
		s.argv = append(append(s.argv, s.file), args[1:]...)
		return 0, false
	}
	if e.InTerminal() != nil {
		e.Errorf("there is no prompt in this sandbox: node FILE, -e CODE, -p CODE")
		return badUsage, true
	}
	code, err := e.ReadFile("-")
	if err != nil {
		e.Errorf("%s", tool.Strerror(err))
		return 1, true
	}
	s.code = string(code)
	if len(args) > 0 {
		s.argv = append(s.argv, args...)
	}
	return 0, false
}

// run starts QuickJS with the prelude, in a file that goes with it.
func (s *script) run(e *tool.Env) (status int, err error) {
	dir, err := os.MkdirTemp(e.Getenv("TMPDIR"), "node-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	file := path.Join(dir, "node.js")
	if err := os.WriteFile(file, []byte("globalThis.__node = "+s.literal()+";\n"+prelude), 0o600); err != nil {
		return 0, err
	}
	streams := e.Child()
	cmd := &proc.Cmd{Name: "qjs", Args: []string{"qjs", file}, Env: e.Environ, Dir: e.Dir}
	cmd.Stdin, _ = streams.Stdin.(*os.File)
	cmd.Stdout, _ = streams.Stdout.(*os.File)
	cmd.Stderr, _ = streams.Stderr.(*os.File)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended, err := cmd.Wait()
	if ended.Kind == proc.Exceeded {
		io.WriteString(e.Stderr, "node was ended: it would have used more than it may: terrarium's --memory is for more of that\n")
	}
	return ended.ExitStatus(), err
}
