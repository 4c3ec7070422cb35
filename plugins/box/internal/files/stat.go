package files

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const statDefault = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n" +
	"Device: %Hd,%Ld\tInode: %-11i Links: %h\n" +
	"Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n" +
	"Access: %x\nModify: %y\nChange: %z\n Birth: %w\n"

const statTerse = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"

const statSystem = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n" +
	"Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n"

func stat(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "c,format= cached= f,file-system L,dereference printf= t,terse")
	if opts == nil {
		return status
	}
	format, system := "", opts.Has("f")
	s := stater{env: env, zone: clock.Zone(env)}
	for _, o := range opts.Options {
		switch o.Name {
		case "c":
			format = o.Arg + "\n"
			s.escapes = false
		case "printf":
			format, s.escapes = o.Arg, true
		case "t":
			format = statTerse
		}
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing operand")
	}
	if format == "" {
		format, s.plain = statDefault, true
		if system {
			format = statSystem
		}
	}
	for _, name := range opts.Operands {
		if system {
			if !s.system(name, format) {
				status = 1
			}
			continue
		}
		look := env.Lstat
		if opts.Has("L") {
			look = env.Stat
		}
		if name == "-" {
			look = func(string) (os.FileInfo, error) { return env.StatInput("-") }
		}
		fi, err := look(name)
		if err != nil {
			env.Errorf("cannot statx %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
			status = 1
			continue
		}
		info := sys.Of(fi)
		s.write(format, func(spec string, verb string) (string, bool) { return s.field(name, info, spec, verb) })
	}
	return status
}

// stater is one run of stat.
type stater struct {
	env     *tool.Env
	zone    *time.Location
	plain   bool // names are quoted only where they need it
	escapes bool // \n and the like are known
}

// write writes format with each conversion replaced by what field makes of it.
func (s *stater) write(format string, field func(spec, verb string) (string, bool)) {
	out := s.env.Out
	for i := 0; i < len(format); {
		switch {
		case format[i] == '\\' && s.escapes && i+1 < len(format):
			n := s.escape(format[i+1:])
			i += 1 + n
		case format[i] != '%' || i+1 == len(format):
			out.WriteByte(format[i])
			i++
		default:
			j := i + 1
			for j < len(format) && strings.IndexByte("#'I+- 0123456789.", format[j]) >= 0 {
				j++
			}
			spec := format[i+1 : j]
			if j < len(format)-1 && (format[j] == 'H' || format[j] == 'L') && strings.IndexByte("dr", format[j+1]) >= 0 {
				j++
			}
			if j == len(format) {
				out.WriteString(format[i:])
				return
			}
			verb := format[i+1+len(spec) : j+1]
			if text, ok := field(spec, verb); ok {
				out.WriteString(text)
			} else {
				out.WriteString("?")
			}
			i = j + 1
		}
	}
}

// escape writes what the characters after a backslash stand for, and returns how many they are.
func (s *stater) escape(rest string) int {
	if i := strings.IndexByte(`abefnrtv"\`, rest[0]); i >= 0 {
		s.env.Out.WriteByte("\a\b\x1b\f\n\r\t\v\"\\"[i])
		return 1
	}
	n := 0
	for n < len(rest) && n < 3 && '0' <= rest[n] && rest[n] <= '7' {
		n++
	}
	if n > 0 {
		v, _ := strconv.ParseUint(rest[:n], 8, 16)
		s.env.Out.WriteByte(byte(v))
		return n
	}
	s.env.Errorf("warning: unrecognized escape '\\%c'", rest[0])
	s.env.Out.WriteByte(rest[0])
	return 1
}

// field formats one conversion of a file.
func (s *stater) field(name string, i sys.Info, spec, verb string) (string, bool) {
	text := func(v string) (string, bool) { return padText(spec, v), true }
	number := func(verb string, v uint64) (string, bool) { return padNumber(spec, verb, v), true }
	switch verb {
	case "%":
		return "%", true
	case "a":
		return number("o", uint64(i.Mode&0o7777))
	case "A":
		return text(i.ModeString())
	case "b":
		return number("d", uint64(i.Blocks))
	case "B":
		return number("d", 512)
	case "C":
		return text("?")
	case "d":
		return number("d", i.Dev)
	case "D":
		return number("x", i.Dev)
	case "Hd":
		return number("d", major(i.Dev))
	case "Ld":
		return number("d", minor(i.Dev))
	case "Hr", "t":
		return number(map[string]string{"Hr": "d", "t": "x"}[verb], major(i.Rdev))
	case "Lr", "T":
		return number(map[string]string{"Lr": "d", "T": "x"}[verb], minor(i.Rdev))
	case "r":
		return number("d", i.Rdev)
	case "R":
		return number("x", i.Rdev)
	case "f":
		return number("x", uint64(i.Mode))
	case "F":
		return text(kindOf(i))
	case "g":
		return number("d", uint64(i.Gid))
	case "G":
		return text(sys.GroupName(i.Gid))
	case "u":
		return number("d", uint64(i.Uid))
	case "U":
		return text(sys.UserName(i.Uid))
	case "h":
		return number("d", i.Nlink)
	case "i":
		return number("d", i.Ino)
	case "m":
		return text("/")
	case "n":
		return text(name)
	case "N":
		return text(s.quoted(name, i))
	case "o":
		return number("d", 4096)
	case "s":
		return number("d", uint64(i.Size))
	case "w":
		return text("-")
	case "W":
		return number("d", 0)
	case "x", "y", "z":
		t := map[string]time.Time{"x": i.Atime, "y": i.Mtime, "z": i.Ctime}[verb]
		return text(clock.Format("%Y-%m-%d %H:%M:%S.%N %z", t.In(s.zone)))
	case "X", "Y", "Z":
		t := map[string]time.Time{"X": i.Atime, "Y": i.Mtime, "Z": i.Ctime}[verb]
		return seconds(spec, t), true
	}
	return "", false
}

func (s *stater) quoted(name string, i sys.Info) string {
	quote := tool.QuoteAlways
	if s.plain {
		quote = tool.QuoteName
	}
	if !i.IsLink() {
		return quote(name)
	}
	target, _ := os.Readlink(s.env.Path(name))
	return quote(name) + " -> " + quote(target)
}

// seconds writes a time since 1970, with as many digits of a fraction as the precision asks for.
func seconds(spec string, t time.Time) string {
	width, prec, has := strings.Cut(spec, ".")
	text := strconv.FormatInt(t.Unix(), 10)
	if has {
		n, err := strconv.Atoi(prec)
		if prec == "" || err != nil {
			n = 9
		}
		text += "." + fmt.Sprintf("%09d", t.Nanosecond())[:min(max(n, 1), 9)]
	}
	return padText(width, text)
}

// padText formats v as %s with these flags.
func padText(spec, v string) string {
	return fmt.Sprintf("%"+goSpec(spec, "-")+"s", v)
}

func padNumber(spec, verb string, v uint64) string {
	return fmt.Sprintf("%"+goSpec(spec, "-+ 0#")+verb, v)
}

// goSpec keeps flags, width and precision that Go has too, in bounds.
func goSpec(spec, flags string) string {
	i := 0
	var b strings.Builder
	for ; i < len(spec) && strings.IndexByte("#'I+- 0", spec[i]) >= 0; i++ {
		if strings.IndexByte(flags, spec[i]) >= 0 {
			b.WriteByte(spec[i])
		}
	}
	width, prec, has := strings.Cut(spec[i:], ".")
	if n, err := strconv.Atoi(width); err == nil {
		b.WriteString(strconv.Itoa(min(n, 4096)))
	}
	if n, err := strconv.Atoi(prec); has && err == nil {
		b.WriteString("." + strconv.Itoa(min(n, 4096)))
	}
	return b.String()
}

// system is -f. What the box can't know of a file system is said as numbers that are plausible and
// round.
func (s *stater) system(name, format string) bool {
	if _, err := s.env.Stat(name); err != nil {
		s.env.Errorf("cannot read file system information for %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
		return false
	}
	numbers := map[string]uint64{
		"a": sandboxBlocks / 2, "b": sandboxBlocks, "c": sandboxBlocks, "d": sandboxBlocks / 2, "f": sandboxBlocks / 2,
		"l": 255, "s": 4096, "S": 4096,
	}
	s.write(format, func(spec, verb string) (string, bool) {
		if n, ok := numbers[verb]; ok {
			return padNumber(spec, "d", n), true
		}
		text, ok := map[string]string{"n": name, "i": "0", "T": "ext2/ext3", "t": "ef53", "%": "%"}[verb]
		return padText(spec, text), ok
	})
	return true
}
