package find

import (
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/glob"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// globals are the options that hold for the whole run.
var globals = map[string]func(*parser) error{
	"maxdepth":            func(p *parser) error { return p.depth("maxdepth", &p.f.max) },
	"mindepth":            func(p *parser) error { return p.depth("mindepth", &p.f.min) },
	"depth":               func(p *parser) error { p.f.depth = true; return nil },
	"d":                   func(p *parser) error { p.f.depth = true; return nil },
	"mount":               func(p *parser) error { p.f.xdev = true; return nil },
	"xdev":                func(p *parser) error { p.f.xdev = true; return nil },
	"daystart":            func(p *parser) error { p.f.daystart = true; return nil },
	"follow":              func(p *parser) error { p.f.follow = 'L'; return nil },
	"noleaf":              func(p *parser) error { return nil },
	"warn":                func(p *parser) error { return nil },
	"nowarn":              func(p *parser) error { return nil },
	"ignore_readdir_race": func(p *parser) error { return nil },
	"regextype":           regexType,
}

func (p *parser) depth(name string, to *int) error {
	arg, err := p.argument(name)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(arg)
	if err != nil || strings.Trim(arg, "0123456789") != "" {
		return complain("Expected a positive decimal integer argument to -%s, but got %s", name, p.f.env.Quote(arg))
	}
	*to = min(n, maxDepth)
	return nil
}

func regexType(p *parser) error {
	arg, err := p.argument("regextype")
	if err != nil {
		return err
	}
	switch arg {
	case "posix-extended", "posix-egrep", "egrep", "awk", "posix-awk", "gnu-awk":
		p.extended = true
	case "posix-basic", "posix-minimal-basic", "grep", "sed", "ed", "emacs", "findutils-default":
		p.extended = false
		p.basic = arg != "emacs" && arg != "findutils-default"
	default:
		return complain("Unknown regular expression type %s", p.f.env.Quote(arg))
	}
	return nil
}

// plain are the tests without an argument.
var plain = map[string]node{
	"true":  always(true),
	"false": always(false),
	"empty": test(func(f *finder, v *visit) bool {
		if v.info.IsDir() {
			entries, err := f.env.ReadDir(v.path)
			return err == nil && len(entries) == 0
		}
		return v.info.IsRegular() && v.info.Size == 0
	}),
	"readable":   test(func(_ *finder, v *visit) bool { return v.info.Mode&0o444 != 0 }),
	"writable":   test(func(_ *finder, v *visit) bool { return v.info.Mode&0o222 != 0 }),
	"executable": test(func(_ *finder, v *visit) bool { return v.info.Mode&0o111 != 0 }),
	"nouser":     test(func(_ *finder, v *visit) bool { return isNumber(sys.UserName(v.info.Uid)) }),
	"nogroup":    test(func(_ *finder, v *visit) bool { return isNumber(sys.GroupName(v.info.Gid)) }),
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

type makeTest func(p *parser, name, arg string) (node, error)

// tests are those with an argument.
var tests = map[string]makeTest{
	"name":      nameTest(func(v *visit) string { return v.base() }),
	"iname":     nameTest(func(v *visit) string { return v.base() }),
	"path":      nameTest(func(v *visit) string { return v.path }),
	"ipath":     nameTest(func(v *visit) string { return v.path }),
	"wholename": nameTest(func(v *visit) string { return v.path }),
	"lname":     linkTest,
	"ilname":    linkTest,
	"regex":     regexTest,
	"iregex":    regexTest,
	"type":      typeTest,
	"xtype":     typeTest,
	"size":      sizeTest,
	"mtime":     ageTest(func(i sys.Info) time.Time { return i.Mtime }),
	"atime":     ageTest(func(i sys.Info) time.Time { return i.Atime }),
	"ctime":     ageTest(func(i sys.Info) time.Time { return i.Ctime }),
	"mmin":      ageTest(func(i sys.Info) time.Time { return i.Mtime }),
	"amin":      ageTest(func(i sys.Info) time.Time { return i.Atime }),
	"cmin":      ageTest(func(i sys.Info) time.Time { return i.Ctime }),
	"newer":     newerFile(func(i sys.Info) time.Time { return i.Mtime }),
	"anewer":    newerFile(func(i sys.Info) time.Time { return i.Atime }),
	"cnewer":    newerFile(func(i sys.Info) time.Time { return i.Ctime }),
	"perm":      permTest,
	"links":     countTest(func(i sys.Info) uint64 { return i.Nlink }),
	"inum":      countTest(func(i sys.Info) uint64 { return i.Ino }),
	"uid":       countTest(func(i sys.Info) uint64 { return uint64(i.Uid) }),
	"gid":       countTest(func(i sys.Info) uint64 { return uint64(i.Gid) }),
	"user":      ownerTest,
	"group":     ownerTest,
	"samefile":  sameTest,
}

func nameTest(of func(*visit) string) makeTest {
	return func(_ *parser, name, arg string) (node, error) {
		fold := name[0] == 'i'
		return test(func(_ *finder, v *visit) bool { return glob.Match(arg, of(v), fold) }), nil
	}
}

func linkTest(_ *parser, name, arg string) (node, error) {
	return test(func(f *finder, v *visit) bool {
		if !v.info.IsLink() {
			return false
		}
		target, err := os.Readlink(f.env.Path(v.path))
		return err == nil && glob.Match(arg, target, name == "ilname")
	}), nil
}

func regexTest(p *parser, name, arg string) (node, error) {
	pattern := arg
	if !p.extended && !p.basic {
		pattern = fromEmacs(arg)
	}
	extended := p.extended || !p.basic
	re, err := regex.Compile(pattern, regex.Options{Extended: extended, IgnoreCase: name == "iregex"})
	if err != nil {
		return nil, complain("failed to compile regular expression '%s': %v", arg, err)
	}
	return test(func(_ *finder, v *visit) bool {
		loc, err := re.FindEdges([]byte(v.path), 0)
		return err == nil && loc != nil && loc[0] == 0 && loc[1] == len(v.path)
	}), nil
}

// fromEmacs makes an extended expression of an Emacs one, where \( \) \| are special and ( ) | { }
// are not.
func fromEmacs(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if strings.IndexByte("()|", s[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		case strings.IndexByte("(){}|", c) >= 0:
			b.WriteString("\\" + string(c))
		case c == '[':
			end := strings.IndexByte(s[min(i+2, len(s)):], ']')
			if end < 0 {
				b.WriteByte(c)
				continue
			}
			b.WriteString(s[i : i+2+end+1])
			i += 2 + end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func typeTest(p *parser, name, arg string) (node, error) {
	if arg == "" {
		return nil, complain("Arguments to -%s should contain at least one letter", name)
	}
	types := map[byte]bool{}
	for i := 0; i < len(arg); i++ {
		c := arg[i]
		if strings.IndexByte("bcdpflsD", c) < 0 {
			return nil, complain("Unknown argument to -%s: %c", name, c)
		}
		if c == 'f' {
			c = '-'
		}
		types[c] = true
		if i++; i == len(arg) {
			break
		}
		if arg[i] != ',' {
			return nil, complain("Must separate multiple arguments to -%s using: ','", name)
		}
		if i+1 == len(arg) {
			return nil, complain("Last file type in list argument to -%s is missing, i.e., list is ending on: ','", name)
		}
	}
	return test(func(f *finder, v *visit) bool {
		info := v.info
		if name == "xtype" && info.IsLink() {
			if fi, err := f.env.Stat(v.path); err == nil {
				info = sys.Of(fi)
			}
		}
		return types[info.Type()]
	}), nil
}

// A compared number is N, +N or -N.
type compared struct {
	sign byte
	n    float64
}

func parseCompared(s string) (compared, bool) {
	var c compared
	if s != "" && (s[0] == '+' || s[0] == '-') {
		c.sign, s = s[0], s[1:]
	}
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return c, false
	}
	n, err := strconv.ParseFloat(s, 64)
	c.n = n
	return c, err == nil
}

func (c compared) holds(n float64) bool {
	switch c.sign {
	case '+':
		return n > c.n
	case '-':
		return n < c.n
	}
	return n == c.n
}

func sizeTest(_ *parser, _, arg string) (node, error) {
	if arg == "" {
		return nil, complain("invalid null argument to -size")
	}
	unit, digits := 512.0, arg
	if last := arg[len(arg)-1]; last < '0' || last > '9' {
		units := map[byte]float64{'b': 512, 'c': 1, 'w': 2, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
		u, ok := units[last]
		if !ok {
			return nil, complain("invalid -size type `%c'", last)
		}
		unit, digits = u, arg[:len(arg)-1]
	}
	c, ok := parseCompared(digits)
	if !ok || strings.Contains(digits, ".") {
		return nil, complain("Invalid argument `%s' to -size", arg)
	}
	return test(func(_ *finder, v *visit) bool { return c.holds(math.Ceil(float64(v.info.Size) / unit)) }), nil
}

// ageTest is -mtime and the like in days, and -mmin and the like in minutes.
func ageTest(of func(sys.Info) time.Time) makeTest {
	return func(p *parser, name, arg string) (node, error) {
		c, ok := parseCompared(arg)
		if !ok {
			return nil, complain("invalid argument `%s' to `-%s'", arg, name)
		}
		unit := 24 * time.Hour
		if strings.HasSuffix(name, "min") {
			unit = time.Minute
		}
		now := p.f.now
		if p.f.daystart {
			now = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
		}
		return test(func(_ *finder, v *visit) bool {
			age := float64(now.Sub(of(v.info))) / float64(unit)
			if unit == time.Minute {
				if c.sign == 0 {
					return c.holds(math.Ceil(age))
				}
				return c.holds(age)
			}
			return c.holds(math.Floor(age)) || c.sign == '-' && age < c.n
		}), nil
	}
}

func newerFile(of func(sys.Info) time.Time) makeTest {
	return func(p *parser, _, arg string) (node, error) {
		fi, err := p.f.env.Stat(arg)
		if err != nil {
			return nil, complain("%s: %s", p.f.env.Quote(arg), tool.Strerror(err))
		}
		limit := sys.Of(fi).Mtime
		return test(func(_ *finder, v *visit) bool { return of(v.info).After(limit) }), nil
	}
}

// newerTest is -newerXY, where Y is t for a date.
func newerTest(name string) (makeTest, bool) {
	xy, ok := strings.CutPrefix(name, "newer")
	if !ok || len(xy) != 2 || strings.IndexByte("acmB", xy[0]) < 0 || strings.IndexByte("acmBt", xy[1]) < 0 {
		return nil, false
	}
	times := map[byte]func(sys.Info) time.Time{
		'a': func(i sys.Info) time.Time { return i.Atime }, 'c': func(i sys.Info) time.Time { return i.Ctime },
		'm': func(i sys.Info) time.Time { return i.Mtime }, 'B': func(i sys.Info) time.Time { return i.Mtime },
	}
	return func(p *parser, name, arg string) (node, error) {
		var limit time.Time
		if xy[1] == 't' {
			if limit, ok = clock.Parse(arg, p.f.now); !ok {
				return nil, complain("I cannot figure out how to interpret %s as a date or time", p.f.env.Quote(arg))
			}
		} else {
			fi, err := p.f.env.Stat(arg)
			if err != nil {
				return nil, complain("%s: %s", p.f.env.Quote(arg), tool.Strerror(err))
			}
			limit = times[xy[1]](sys.Of(fi))
		}
		return test(func(_ *finder, v *visit) bool { return times[xy[0]](v.info).After(limit) }), nil
	}, true
}

func permTest(p *parser, _, arg string) (node, error) {
	how, text := byte(0), arg
	if arg != "" && (arg[0] == '-' || arg[0] == '/') {
		how, text = arg[0], arg[1:]
	}
	apply, ok := sys.ParseMode(text, 0)
	if !ok {
		return nil, complain("invalid mode %s", p.f.env.Quote(arg))
	}
	mode := apply(0) & 0o7777
	return test(func(_ *finder, v *visit) bool {
		has := v.info.Mode & 0o7777
		switch how {
		case '-':
			return has&mode == mode
		case '/':
			return mode == 0 || has&mode != 0
		}
		return has == mode
	}), nil
}

func countTest(of func(sys.Info) uint64) makeTest {
	return func(_ *parser, name, arg string) (node, error) {
		c, ok := parseCompared(arg)
		if !ok {
			return nil, complain("invalid argument `%s' to `-%s'", arg, name)
		}
		return test(func(_ *finder, v *visit) bool { return c.holds(float64(of(v.info))) }), nil
	}
}

func ownerTest(p *parser, name, arg string) (node, error) {
	id, _, ok := sys.UserID(arg)
	if name == "group" {
		id, ok = sys.GroupID(arg)
	}
	if !ok {
		n, err := strconv.ParseUint(arg, 10, 32)
		if err != nil {
			what := "the name of a known user"
			if name == "group" {
				what = "the name of an existing group"
			}
			return nil, complain("%s is not %s", p.f.env.Quote(arg), what)
		}
		id = uint32(n)
	}
	return test(func(_ *finder, v *visit) bool {
		if name == "group" {
			return v.info.Gid == id
		}
		return v.info.Uid == id
	}), nil
}

func sameTest(p *parser, _, arg string) (node, error) {
	fi, err := p.f.env.Lstat(arg)
	if err != nil {
		return nil, complain("%s: %s", p.f.env.Quote(arg), tool.Strerror(err))
	}
	info := sys.Of(fi)
	return test(func(_ *finder, v *visit) bool { return sys.Same(info, v.info) }), nil
}
