package basic

import (
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func test(env *tool.Env, args []string) int { return (&tester{env: env, args: args[1:]}).run() }

// bracket is test with a "]" behind it.
func bracket(env *tool.Env, args []string) int {
	if len(args) == 2 && (args[1] == "--help" || args[1] == "--version") {
		_, status := env.Options(args, "")
		return status
	}
	if args[len(args)-1] != "]" || len(args) < 2 {
		env.Errorf("missing %s", env.Quote("]"))
		return 2
	}
	return (&tester{env: env, args: args[1 : len(args)-1]}).run()
}

// A tester evaluates one expression. What it means depends first on the number of arguments:
// POSIX.1-2017, test.
type tester struct {
	env  *tool.Env
	args []string
	pos  int
}

// A testError is a bad expression.
type testError string

func (t *tester) run() (status int) {
	result, err := t.eval(len(t.args))
	if err == nil && t.pos < len(t.args) {
		err = t.errorf("extra argument %s", t.env.Quote(t.args[t.pos]))
	}
	switch {
	case err != nil:
		t.env.Errorf("%s", err.Error())
		return 2
	case result:
		return 0
	}
	return 1
}

func (e testError) Error() string { return string(e) }

func (t *tester) errorf(format string, a ...any) error { return testError(fmt.Sprintf(format, a...)) }

// eval evaluates the next n arguments.
func (t *tester) eval(n int) (bool, error) {
	rest := t.args[t.pos:]
	switch n {
	case 0:
		return false, nil
	case 1:
		t.pos++
		return rest[0] != "", nil
	case 2:
		return t.two(rest)
	case 3:
		return t.three(rest)
	case 4:
		if rest[0] == "!" {
			t.pos++
			r, err := t.eval(3)
			return !r, err
		}
		if rest[0] == "(" && rest[3] == ")" {
			t.pos++
			r, err := t.eval(2)
			t.pos++
			return r, err
		}
	}
	return t.or()
}

func (t *tester) two(rest []string) (bool, error) {
	switch {
	case rest[0] == "!":
		t.pos += 2
		return rest[1] == "", nil
	case isUnary(rest[0]):
		t.pos += 2
		return t.unary(rest[0], rest[1])
	case len(rest[0]) == 2 && rest[0][0] == '-':
		return false, t.errorf("%s: unary operator expected", t.env.Quote(rest[0]))
	}
	return false, t.errorf("missing argument after %s", t.env.Quote(rest[1]))
}

func (t *tester) three(rest []string) (bool, error) {
	switch {
	case isBinary(rest[1]):
		t.pos += 3
		return t.binary(rest[0], rest[1], rest[2])
	case rest[0] == "!":
		t.pos++
		r, err := t.eval(2)
		return !r, err
	case rest[0] == "(" && rest[2] == ")":
		t.pos += 3
		return rest[1] != "", nil
	case rest[1] == "-a" || rest[1] == "-o" || rest[1] == ">" || rest[1] == "<":
		return t.or()
	}
	return false, t.errorf("%s: binary operator expected", t.env.Quote(rest[1]))
}

func (t *tester) or() (bool, error) {
	r, err := t.and()
	for err == nil && t.at("-o") {
		t.pos++
		var more bool
		more, err = t.and()
		r = r || more
	}
	return r, err
}

func (t *tester) and() (bool, error) {
	r, err := t.term()
	for err == nil && t.at("-a") {
		t.pos++
		var more bool
		more, err = t.term()
		r = r && more
	}
	return r, err
}

func (t *tester) at(s string) bool { return t.pos < len(t.args) && t.args[t.pos] == s }

func (t *tester) term() (bool, error) {
	negate := false
	for t.at("!") {
		t.pos++
		negate = !negate
	}
	if t.pos == len(t.args) {
		return false, t.errorf("missing argument after %s", t.env.Quote(t.args[len(t.args)-1]))
	}
	rest := t.args[t.pos:]
	var r bool
	var err error
	switch {
	case rest[0] == "(":
		t.pos++
		r, err = t.or()
		if err == nil && !t.at(")") {
			if t.pos == len(t.args) {
				err = t.errorf("%s expected", t.env.Quote(")"))
			} else {
				err = t.errorf("%s expected, found %s", t.env.Quote(")"), t.args[t.pos])
			}
		}
		t.pos++
	case len(rest) >= 3 && isBinary(rest[1]):
		t.pos += 3
		r, err = t.binary(rest[0], rest[1], rest[2])
	case len(rest) >= 2 && isUnary(rest[0]):
		t.pos += 2
		r, err = t.unary(rest[0], rest[1])
	case len(rest[0]) == 2 && rest[0][0] == '-' && isUnary(rest[0]):
		err = t.errorf("missing argument after %s", t.env.Quote(rest[0]))
	default:
		t.pos++
		r = rest[0] != ""
	}
	return r != negate, err
}

func isUnary(s string) bool {
	return len(s) == 2 && s[0] == '-' && strings.IndexByte("bcdefghkLnNOprsStuwxzG", s[1]) >= 0
}

func isBinary(s string) bool {
	switch s {
	case "=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func (t *tester) binary(a, op, b string) (bool, error) {
	switch op {
	case "=", "==":
		return a == b, nil
	case "!=":
		return a != b, nil
	case "-nt", "-ot", "-ef":
		return t.compareFiles(a, op, b), nil
	}
	x, err := t.integer(a)
	if err != nil {
		return false, err
	}
	y, err := t.integer(b)
	if err != nil {
		return false, err
	}
	c := x.Cmp(y)
	switch op {
	case "-eq":
		return c == 0, nil
	case "-ne":
		return c != 0, nil
	case "-lt":
		return c < 0, nil
	case "-le":
		return c <= 0, nil
	case "-gt":
		return c > 0, nil
	}
	return c >= 0, nil
}

func (t *tester) integer(s string) (*big.Int, error) {
	digits := strings.Trim(s, " \t")
	if n, ok := new(big.Int).SetString(strings.TrimPrefix(digits, "+"), 10); ok && len(digits) < 4096 && !strings.HasPrefix(digits, "+-") {
		return n, nil
	}
	return nil, t.errorf("invalid integer %s", t.env.Quote(s))
}

func (t *tester) compareFiles(a, op, b string) bool {
	x, errX := t.env.Stat(a)
	y, errY := t.env.Stat(b)
	switch op {
	case "-nt":
		return errX == nil && (errY != nil || x.ModTime().After(y.ModTime()))
	case "-ot":
		return errY == nil && (errX != nil || x.ModTime().Before(y.ModTime()))
	}
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (t *tester) unary(op, arg string) (bool, error) {
	switch op[1] {
	case 'n':
		return arg != "", nil
	case 'z':
		return arg == "", nil
	case 't':
		_, err := t.integer(arg)
		return false, err // no command of the box has a terminal of its own
	case 'h', 'L':
		fi, err := t.env.Lstat(arg)
		return err == nil && fi.Mode()&fs.ModeSymlink != 0, nil
	}
	fi, err := t.env.Stat(arg)
	if err != nil {
		return false, nil
	}
	mode := fi.Mode()
	switch op[1] {
	case 'b':
		return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0, nil
	case 'c':
		return mode&fs.ModeCharDevice != 0, nil
	case 'd':
		return fi.IsDir(), nil
	case 'f':
		return mode.IsRegular(), nil
	case 'g':
		return sys.Of(fi).Mode&sys.SetGID != 0, nil
	case 'k':
		return sys.Of(fi).Mode&sys.Sticky != 0, nil
	case 'p':
		return mode&fs.ModeNamedPipe != 0, nil
	case 's':
		return fi.Size() > 0, nil
	case 'S':
		return mode&fs.ModeSocket != 0, nil
	case 'u':
		return sys.Of(fi).Mode&sys.SetUID != 0, nil
	case 'r':
		return sys.Access(t.env.Path(arg), sys.Read) == nil, nil
	case 'w':
		return sys.Access(t.env.Path(arg), sys.Write) == nil, nil
	case 'x':
		return sys.Access(t.env.Path(arg), sys.Execute) == nil, nil
	}
	return true, nil // e, O, G, N: whoever can see it owns it
}
