package find

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

func printfAction(p *parser, name string) (node, error) {
	format, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	return formatter{p.f.env.Out, format}, nil
}

func fprintfAction(p *parser, name string) (node, error) {
	w, err := p.output(name)
	if err != nil {
		return nil, err
	}
	format, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	return formatter{w, format}, nil
}

// formatter is -printf and -fprintf.
type formatter struct {
	w      io.Writer
	format string
}

func (a formatter) eval(f *finder, v *visit) bool {
	s := a.format
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			n, stop := a.escape(f, s[i+1:])
			if stop {
				return true
			}
			i += 1 + n
		case s[i] == '%' && i+1 < len(s):
			i += a.directive(f, v, s[i:])
		default:
			a.w.Write([]byte{s[i]})
			i++
		}
	}
	return true
}

// escape writes what follows a backslash and returns its length; \c stops.
func (a formatter) escape(f *finder, rest string) (n int, stop bool) {
	if rest[0] == 'c' {
		f.env.Out.Flush()
		return 1, true
	}
	if i := strings.IndexByte(`abfnrtv\`, rest[0]); i >= 0 {
		a.w.Write([]byte{"\a\b\f\n\r\t\v\\"[i]})
		return 1, false
	}
	for n < len(rest) && n < 3 && '0' <= rest[n] && rest[n] <= '7' {
		n++
	}
	if n > 0 {
		c, _ := strconv.ParseUint(rest[:n], 8, 16)
		a.w.Write([]byte{byte(c)})
		return n, false
	}
	f.env.Errorf("warning: unrecognized escape `\\%c'", rest[0])
	io.WriteString(a.w, `\`+rest[:1])
	return 1, false
}

// directive writes one %-directive and returns its length.
func (a formatter) directive(f *finder, v *visit, s string) int {
	i := 1
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		i++
	}
	flags := s[1:i]
	start := i
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	width, _ := strconv.Atoi(s[start:i])
	prec := -1
	if i < len(s) && s[i] == '.' {
		start = i + 1
		for i++; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		}
		prec, _ = strconv.Atoi(s[start:i])
	}
	if i == len(s) {
		io.WriteString(a.w, s)
		return i
	}
	verb, n := s[i], i+1
	text, number := "", false
	switch verb {
	case '%':
		io.WriteString(a.w, "%")
		return n
	case 'A', 'B', 'C', 'T':
		if n == len(s) {
			io.WriteString(a.w, s)
			return n
		}
		t := map[byte]time.Time{'A': v.info.Atime, 'B': v.info.Mtime, 'C': v.info.Ctime, 'T': v.info.Mtime}[verb]
		text = stamp(t.In(f.now.Location()), s[n])
		n++
	default:
		var ok bool
		if text, number, ok = property(f, v, verb); !ok {
			f.env.Errorf("warning: unrecognized format directive `%%%c'", verb)
			io.WriteString(a.w, s[:n])
			return n
		}
	}
	if prec >= 0 && !number && prec < len(text) {
		text = text[:prec]
	}
	width = min(width, 4096)
	switch pad := width - len(text); {
	case pad <= 0:
	case strings.Contains(flags, "-"):
		text += strings.Repeat(" ", pad)
	case number && strings.Contains(flags, "0"):
		text = strings.Repeat("0", pad) + text
	default:
		text = strings.Repeat(" ", pad) + text
	}
	io.WriteString(a.w, text)
	return n
}

// stamp is %Tk: the time in the form that k names.
func stamp(t time.Time, k byte) string {
	switch k {
	case '@':
		return fmt.Sprintf("%d.%09d0", t.Unix(), t.Nanosecond())
	case '+':
		return clock.Format("%Y-%m-%d+%H:%M:%S.%N0", t)
	case 'S':
		return clock.Format("%S.%N0", t)
	case 'T', 'X':
		return clock.Format("%H:%M:%S.%N0", t)
	case 'c':
		return clock.Format("%a %b %e %H:%M:%S.%N0 %Y", t)
	}
	return clock.Format("%"+string(k), t)
}

// property returns what a directive stands for, and whether it is a number.
func property(f *finder, v *visit, verb byte) (text string, number, ok bool) {
	num := func(n uint64) (string, bool, bool) { return strconv.FormatUint(n, 10), true, true }
	i := v.info
	switch verb {
	case 'p':
		return v.path, false, true
	case 'f':
		return v.base(), false, true
	case 'h':
		if !strings.Contains(v.path, "/") {
			return ".", false, true
		}
		return strings.TrimSuffix(v.dir(), "/"), false, true
	case 'P':
		return strings.TrimPrefix(strings.TrimPrefix(v.path, v.root), "/"), false, true
	case 'H':
		return v.root, false, true
	case 'd':
		return num(uint64(v.depth))
	case 's':
		return num(uint64(i.Size))
	case 'b':
		return num(uint64(i.Blocks))
	case 'k':
		return num(uint64(i.Blocks+1) / 2)
	case 'm':
		return strconv.FormatUint(uint64(i.Mode&0o7777), 8), true, true
	case 'M':
		return i.ModeString(), false, true
	case 'n':
		return num(i.Nlink)
	case 'i':
		return num(i.Ino)
	case 'D':
		return num(i.Dev)
	case 'u':
		return sys.UserName(i.Uid), false, true
	case 'U':
		return num(uint64(i.Uid))
	case 'g':
		return sys.GroupName(i.Gid), false, true
	case 'G':
		return num(uint64(i.Gid))
	case 'a', 'c', 't':
		t := map[byte]time.Time{'a': i.Atime, 'c': i.Ctime, 't': i.Mtime}[verb]
		return stamp(t.In(f.now.Location()), 'c'), false, true
	case 'y':
		return typeLetter(i), false, true
	case 'Y':
		if i.IsLink() {
			fi, err := f.env.Stat(v.path)
			if err != nil {
				return "N", false, true
			}
			i = sys.Of(fi)
		}
		return typeLetter(i), false, true
	case 'l':
		target := ""
		if i.IsLink() {
			target, _ = os.Readlink(f.env.Path(v.path))
		}
		return target, false, true
	case 'F':
		return "wasi", false, true
	case 'S':
		if i.Size == 0 {
			return "1", false, true
		}
		return strconv.FormatFloat(float64(i.Blocks)*512/float64(i.Size), 'g', 6, 64), false, true
	case 'Z':
		return "", false, true
	}
	return "", false, false
}

func typeLetter(i sys.Info) string {
	if i.IsRegular() {
		return "f"
	}
	return string(i.Type())
}

// lister is -ls.
func lister(w io.Writer) node {
	return test(func(f *finder, v *visit) bool {
		i := v.info
		t := i.Mtime.In(f.now.Location())
		format := "%b %e %H:%M"
		if age := f.now.Sub(t); age > 31556952/2*time.Second || age < -time.Hour {
			format = "%b %e  %Y"
		}
		link := ""
		if i.IsLink() {
			target, _ := os.Readlink(f.env.Path(v.path))
			link = " -> " + target
		}
		fmt.Fprintf(w, "%9d %6d %s %3d %-8s %-8s %8d %s %s%s\n", i.Ino, (i.Blocks+1)/2, i.ModeString(), i.Nlink,
			sys.UserName(i.Uid), sys.GroupName(i.Gid), i.Size, clock.Format(format, t), v.path, link)
		return true
	})
}
