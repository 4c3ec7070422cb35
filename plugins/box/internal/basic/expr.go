package basic

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func expr(env *tool.Env, args []string) int {
	if len(args) == 2 && (args[1] == "--help" || args[1] == "--version") {
		_, status := env.Options(args, "")
		return status
	}
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return env.UsageError("missing operand")
	}
	e := &exprParser{env: env, args: args}
	v, err := e.or(true)
	if err == nil && e.pos < len(args) {
		err = fmt.Errorf("syntax error: unexpected argument %s", env.Quote(args[e.pos]))
	}
	if err != nil {
		env.Errorf("%v", err)
		return 2
	}
	env.Out.WriteString(v + "\n")
	if null(v) {
		return 1
	}
	return 0
}

// null reports whether v is empty or a zero.
func null(v string) bool {
	digits := strings.TrimPrefix(v, "-")
	return v == "" || digits != "" && strings.Trim(digits, "0") == ""
}

// An exprParser evaluates as it parses. Each method's eval says whether the result is wanted.
type exprParser struct {
	env   *tool.Env
	args  []string
	pos   int
	depth int
}

func (e *exprParser) take(ops ...string) string {
	if e.pos < len(e.args) {
		for _, op := range ops {
			if e.args[e.pos] == op {
				e.pos++
				return op
			}
		}
	}
	return ""
}

func (e *exprParser) or(eval bool) (string, error) {
	l, err := e.and(eval)
	for err == nil && e.take("|") != "" {
		var r string
		r, err = e.and(eval && null(l))
		if null(l) {
			l = r
			if null(l) {
				l = "0"
			}
		}
	}
	return l, err
}

func (e *exprParser) and(eval bool) (string, error) {
	l, err := e.compare(eval)
	for err == nil && e.take("&") != "" {
		var r string
		r, err = e.compare(eval && !null(l))
		if null(l) || null(r) {
			l = "0"
		}
	}
	return l, err
}

func (e *exprParser) compare(eval bool) (string, error) {
	l, err := e.sum(eval)
	for err == nil {
		op := e.take("<", "<=", "=", "==", "!=", ">=", ">")
		if op == "" {
			break
		}
		var r string
		if r, err = e.sum(eval); err != nil {
			break
		}
		x, okX := integer(l)
		y, okY := integer(r)
		c := strings.Compare(l, r)
		if okX && okY {
			c = x.Cmp(y)
		}
		var is bool
		switch op {
		case "<":
			is = c < 0
		case "<=":
			is = c <= 0
		case "=", "==":
			is = c == 0
		case "!=":
			is = c != 0
		case ">=":
			is = c >= 0
		case ">":
			is = c > 0
		}
		l = "0"
		if is {
			l = "1"
		}
	}
	return l, err
}

func (e *exprParser) sum(eval bool) (string, error) {
	l, err := e.product(eval)
	for err == nil {
		op := e.take("+", "-")
		if op == "" {
			break
		}
		var r string
		if r, err = e.product(eval); err == nil && eval {
			l, err = arithmetic(l, op, r)
		}
	}
	return l, err
}

func (e *exprParser) product(eval bool) (string, error) {
	l, err := e.match(eval)
	for err == nil {
		op := e.take("*", "/", "%")
		if op == "" {
			break
		}
		var r string
		if r, err = e.match(eval); err == nil && eval {
			l, err = arithmetic(l, op, r)
		}
	}
	return l, err
}

// maxDigits bounds numbers: what needs more is not computed with expr.
const maxDigits = 10_000

func integer(s string) (*big.Int, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

func arithmetic(l, op, r string) (string, error) {
	x, okX := integer(l)
	y, okY := integer(r)
	if !okX || !okY {
		return "", errors.New("non-integer argument")
	}
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
	default:
		if y.Sign() == 0 {
			return "", errors.New("division by zero")
		}
		if op == "/" {
			x.Quo(x, y)
		} else {
			x.Rem(x, y)
		}
	}
	return x.String(), nil
}

func (e *exprParser) match(eval bool) (string, error) {
	l, err := e.keyword(eval)
	for err == nil && e.take(":") != "" {
		var r string
		if r, err = e.keyword(eval); err == nil && eval {
			l, err = matchPattern(l, r)
		}
	}
	return l, err
}

// matchPattern is STRING : REGEX: the first group's text, or the length of the match.
func matchPattern(s, pattern string) (string, error) {
	re, err := regex.Compile(pattern, regex.Options{})
	if err != nil {
		return "", err
	}
	loc, err := re.Find([]byte(s), 0)
	if err != nil {
		return "", err
	}
	if loc != nil && loc[0] != 0 {
		loc = nil // the pattern is anchored
		if anchored, err := regex.Compile("^\\("+pattern+"\\)", regex.Options{}); err == nil && re.Groups() == 0 {
			loc, _ = anchored.Find([]byte(s), 0)
		}
	}
	switch {
	case loc == nil && re.Groups() > 0:
		return "", nil
	case loc == nil:
		return "0", nil
	case re.Groups() > 0:
		if loc[2] < 0 {
			return "", nil
		}
		return s[loc[2]:loc[3]], nil
	}
	return fmt.Sprint(utf8.RuneCountInString(s[:loc[1]])), nil
}

func (e *exprParser) keyword(eval bool) (string, error) {
	switch e.take("+", "length", "match", "index", "substr") {
	case "+":
		if e.pos == len(e.args) {
			return "", e.missing()
		}
		e.pos++
		return e.args[e.pos-1], nil
	case "length":
		v, err := e.keyword(eval)
		return fmt.Sprint(utf8.RuneCountInString(v)), err
	case "match":
		a, err := e.arguments(2, eval)
		if err != nil || !eval {
			return "", err
		}
		return matchPattern(a[0], a[1])
	case "index":
		a, err := e.arguments(2, eval)
		if err != nil {
			return "", err
		}
		i := strings.IndexAny(a[0], a[1])
		if i < 0 {
			return "0", nil
		}
		return fmt.Sprint(utf8.RuneCountInString(a[0][:i]) + 1), nil
	case "substr":
		a, err := e.arguments(3, eval)
		if err != nil {
			return "", err
		}
		return substr(a[0], a[1], a[2]), nil
	}
	return e.primary(eval)
}

func (e *exprParser) arguments(n int, eval bool) ([]string, error) {
	var args []string
	for range n {
		v, err := e.keyword(eval)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	return args, nil
}

func substr(s, pos, length string) string {
	p, okP := integer(pos)
	n, okN := integer(length)
	chars := []rune(s)
	if !okP || !okN || p.Sign() <= 0 || n.Sign() <= 0 || !p.IsInt64() || p.Int64() > int64(len(chars)) {
		return ""
	}
	chars = chars[p.Int64()-1:]
	if n.IsInt64() && n.Int64() < int64(len(chars)) {
		chars = chars[:n.Int64()]
	}
	return string(chars)
}

func (e *exprParser) missing() error {
	return fmt.Errorf("syntax error: missing argument after %s", e.env.Quote(e.args[len(e.args)-1]))
}

func (e *exprParser) primary(eval bool) (string, error) {
	if e.pos == len(e.args) {
		return "", e.missing()
	}
	if e.take("(") != "" {
		if e.depth++; e.depth > 1000 {
			return "", errors.New("memory exhausted")
		}
		v, err := e.or(eval)
		if err != nil {
			return "", err
		}
		e.depth--
		if e.take(")") == "" {
			if e.pos == len(e.args) {
				return "", fmt.Errorf("syntax error: expecting ')' after %s", e.env.Quote(e.args[e.pos-1]))
			}
			return "", fmt.Errorf("syntax error: expecting ')' instead of %s", e.env.Quote(e.args[e.pos]))
		}
		return v, nil
	}
	if e.args[e.pos] == ")" {
		return "", errors.New("syntax error: unexpected ')'")
	}
	e.pos++
	return e.args[e.pos-1], nil
}
