package order

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A key is one -k: which part of a line is compared, and how. Fields and characters count from 0.
type key struct {
	startField, startChar int
	// endField is -1 for the end of the line; endChar 0 means the whole field
	endField, endChar  int
	skipStart, skipEnd bool
	ordering
}

// An ordering is how two keys are compared.
type ordering struct {
	mode    byte // 0 (bytes), n, g, h, M, V or R
	modes   string
	fold    bool // -f
	dict    bool // -d
	print   bool // -i
	reverse bool
}

// set takes one letter of -k's options. It returns false for an unknown one.
func (o *ordering) set(c byte) bool {
	switch c {
	case 'd':
		o.dict = true
	case 'f':
		o.fold = true
	case 'i':
		o.print = true
	case 'r':
		o.reverse = true
	case 'g', 'h', 'M', 'n', 'R', 'V':
		o.mode = c
		if !strings.Contains(o.modes, string(c)) {
			o.modes += string(c)
		}
	default:
		return false
	}
	return true
}

func (o *ordering) isDefault() bool { return *o == ordering{} }

// conflict returns the letters that can't go together, "" if there are none.
func (o *ordering) conflict() string {
	letters := ""
	for _, c := range "dfghiMnRV" {
		switch {
		case c == 'd' && o.dict, c == 'i' && o.print && !o.dict, strings.ContainsRune(o.modes, c):
			letters += string(c)
		}
	}
	n := len(o.modes)
	text := o.dict || o.print
	if n > 1 || n == 1 && text && o.mode != 'R' && o.mode != 'V' {
		return letters
	}
	return ""
}

// parseKey parses F[.C][OPTS][,F[.C][OPTS]].
func parseKey(env *tool.Env, spec string) (*key, error) {
	k := &key{endField: -1}
	bad := func(what string) error {
		return fmt.Errorf("%s: invalid field specification %s", what, env.Quote(spec))
	}
	count := func(s, what string) (int, string, error) {
		n, i := 0, 0
		for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
			n = min(n*10+int(s[i]-'0'), math.MaxInt32)
		}
		if i == 0 {
			return 0, "", fmt.Errorf("%s: invalid count at start of %s", what, env.Quote(s))
		}
		return n, s[i:], nil
	}
	n, rest, err := count(spec, "invalid number at field start")
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, bad("field number is zero")
	}
	k.startField = n - 1
	if strings.HasPrefix(rest, ".") {
		if n, rest, err = count(rest[1:], "invalid number after '.'"); err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, bad("character offset is zero")
		}
		k.startChar = n - 1
	}
	rest = k.options(rest, &k.skipStart)
	if strings.HasPrefix(rest, ",") {
		if n, rest, err = count(rest[1:], "invalid number after ','"); err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, bad("field number is zero")
		}
		k.endField = n - 1
		if strings.HasPrefix(rest, ".") {
			if n, rest, err = count(rest[1:], "invalid number after '.'"); err != nil {
				return nil, err
			}
			k.endChar = n
		}
		rest = k.options(rest, &k.skipEnd)
	}
	if rest != "" {
		return nil, bad("stray character in field spec")
	}
	return k, nil
}

func (k *key) options(s string, skip *bool) string {
	for s != "" {
		if s[0] == 'b' {
			*skip = true
		} else if !k.set(s[0]) {
			break
		}
		s = s[1:]
	}
	return s
}

// errTab is the error of a separator that is no single byte.
var errTab = errors.New("empty tab")

// parseTab reads the argument of -t.
func parseTab(env *tool.Env, s string) (int, error) {
	switch {
	case s == "":
		return 0, errTab
	case s == `\0`:
		return 0, nil
	case len(s) > 1:
		return 0, fmt.Errorf("multi-character tab %s", env.Quote(s))
	}
	return int(s[0]), nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// cut returns the part of line that k compares.
func (k *key) cut(line []byte, tab int) []byte {
	if k.whole() {
		return line
	}
	lo, hi := k.edges(line, tab)
	return line[lo:hi]
}

// edges returns where that part begins and ends. tab separates fields; -1 is the change from blank
// to something else.
func (k *key) edges(line []byte, tab int) (lo, hi int) {
	lo = fieldStart(line, k.startField, tab)
	if k.skipStart {
		for lo < len(line) && isBlank(line[lo]) {
			lo++
		}
	}
	lo = min(lo+k.startChar, len(line))
	if k.endField < 0 {
		return lo, len(line)
	}
	if k.endChar == 0 {
		hi = fieldEnd(line, k.endField, tab)
	} else {
		hi = fieldStart(line, k.endField, tab)
		if k.skipEnd {
			for hi < len(line) && isBlank(line[hi]) {
				hi++
			}
		}
		hi = min(hi+k.endChar, len(line))
	}
	return lo, max(lo, hi)
}

// fieldStart returns where field n begins: behind the separator, or at the blanks before it.
func fieldStart(line []byte, n, tab int) int {
	i := 0
	for ; n > 0 && i < len(line); n-- {
		i = oneField(line, i, tab)
		if tab >= 0 && i < len(line) {
			i++
		}
	}
	return i
}

func fieldEnd(line []byte, n, tab int) int {
	return oneField(line, fieldStart(line, n, tab), tab)
}

func oneField(line []byte, i, tab int) int {
	if tab >= 0 {
		for i < len(line) && line[i] != byte(tab) {
			i++
		}
		return i
	}
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	return i
}
