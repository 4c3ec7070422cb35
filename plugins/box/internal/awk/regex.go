package awk

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// compileRegex compiles an ERE with awk's escapes.
func compileRegex(src string) (*regex.Regexp, error) {
	return regex.Compile(convert(src), regex.Options{Extended: true, Lenient: true})
}

// convert replaces the escapes that awk has and ERE has not. In a list they are replaced by the
// bytes they mean.
func convert(src string) string {
	if strings.IndexByte(src, '\\') < 0 {
		return src
	}
	var b strings.Builder
	list := 0 // in a list: one more than the number of bytes of it so far
	for i := 0; i < len(src); i++ {
		c := src[i]
		if list > 0 {
			list++
		}
		switch {
		case c == '[' && list == 0:
			list = 1
			if i+1 < len(src) && src[i+1] == '^' {
				b.WriteByte(c)
				i++
				c = '^'
			}
		case c == '[' && list > 0 && i+1 < len(src) && src[i+1] == ':':
			if end := strings.Index(src[i:], ":]"); end > 0 {
				b.WriteString(src[i : i+end+2])
				i += end + 1
				continue
			}
		case c == ']' && list > 2:
			list = 0
		case c == '\\' && i+1 < len(src):
			i++
			escape(&b, src, &i, list > 0)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// escape writes what the escape at src[*i] means; the backslash is before it.
func escape(b *strings.Builder, src string, i *int, list bool) {
	c := src[*i]
	literal := func(c byte) {
		if list {
			if c == '\\' || c == ']' || c == '^' || c == '-' {
				b.WriteString("[." + string(c) + ".]")
				return
			}
		} else if strings.IndexByte(`\^$.[]|()*+?{}`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	switch k := strings.IndexByte("abtnvfr", c); {
	case c == '/' || c == '"' || c == '&':
		b.WriteByte(c)
	case c == 'y' && !list:
		b.WriteString(`\b`)
	case k >= 0:
		b.WriteByte('\a' + byte(k))
	case '0' <= c && c <= '7':
		n, used := 0, 0
		for ; used < 3 && *i+used < len(src) && '0' <= src[*i+used] && src[*i+used] <= '7'; used++ {
			n = n*8 + int(src[*i+used]-'0')
		}
		*i += used - 1
		literal(byte(n))
	case '8' <= c && c <= '9':
		b.WriteByte(c)
	case list:
		literal(c)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
}

// regexp returns the compiled form of what e means as a pattern. Those made from strings are kept.
func (in *interp) regexp(e expr) *regex.Regexp {
	if g, ok := e.(*group); ok {
		return in.regexp(g.x)
	}
	if r, ok := e.(*regexLit); ok {
		return r.re
	}
	return in.dynamic(in.str(e.eval(in)))
}

// matches reports whether s contains a match.
func (in *interp) matches(re *regex.Regexp, s string) bool {
	if l := re.Literal(); l != nil {
		return strings.Contains(s, string(l))
	}
	ok, err := re.Match(in.bytes(s))
	if err != nil {
		in.fail("%v", err)
	}
	return ok
}

// bytes returns the bytes of s, until the next call.
func (in *interp) bytes(s string) []byte {
	in.text = append(in.text[:0], s...)
	return in.text
}

// maxCached bounds the patterns that are kept.
const maxCached = 500

func (in *interp) dynamic(src string) *regex.Regexp {
	if re := in.cache[src]; re != nil {
		return re
	}
	re, err := compileRegex(src)
	if err != nil {
		in.fail("regular expression compile failed (%v)\n%s", err, src)
	}
	if len(in.cache) >= maxCached {
		clear(in.cache)
	}
	in.cache[strings.Clone(src)] = re
	return re
}
