package dump

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// xxdState is xxd's options. Its own parser takes -plain and -ps for -p, and arguments right behind
// their letter.
type xxdState struct {
	kind                             byte // b(its), e: little-endian, i(nclude), p(lain), or 0
	reverse, upper, capital, decimal bool
	cols, group                      int // -1: not given
	length, seek                     int64
	name                             string
	offset                           int64
}

func xxd(env *tool.Env, args []string) int {
	x := &xxdState{cols: -1, group: -1, length: -1}
	files, ok := x.parse(args[1:])
	if !ok || len(files) > 2 {
		env.Warn("Usage:\n       xxd [options] [infile [outfile]]\n    or\n       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]")
		return 1
	}
	if !x.settle(env) {
		return 1
	}
	in := "-"
	if len(files) > 0 {
		in = files[0]
	}
	p, short, err := x.read(env, in)
	if err != nil {
		env.Errorf("%s: %s", in, tool.Strerror(err))
		return 2
	}
	out := env.Out
	if len(files) == 2 && files[1] != "-" {
		f, err := env.Create(files[1], os.O_TRUNC)
		if err != nil {
			env.Errorf("%s: %s", files[1], tool.Strerror(err))
			return 3
		}
		defer f.Close()
		out = bufio.NewWriter(f)
		defer out.Flush()
	}
	if x.reverse && x.kind != 0 && x.kind != 'p' {
		env.Errorf("Sorry, cannot revert this type of hexdump")
		return 255
	}
	if x.reverse {
		return x.revert(env, out, p)
	}
	if short {
		env.Errorf("Sorry, cannot seek.")
		return 4
	}
	switch x.kind {
	case 'i':
		x.writeC(out, p, in)
	case 'p':
		for len(p) > 0 {
			n := min(x.cols, len(p))
			fmt.Fprintf(out, x.hex(), p[:n])
			out.WriteByte('\n')
			p = p[n:]
		}
	default:
		for at := 0; at < len(p) && !env.Stopped(); at += x.cols {
			x.row(out, x.seek+x.offset+int64(at), p[at:min(at+x.cols, len(p))])
		}
	}
	return 0
}

// read returns what is asked for of a file: all of a dump that is to be reverted, else length bytes
// from seek on. A seek from the end becomes one from the beginning, for which all is read. It
// reads no more than it needs, as an input may have no end. short says that the file ends before
// seek.
func (x *xxdState) read(env *tool.Env, name string) (p []byte, short bool, err error) {
	f, err := env.Input(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if x.reverse {
		p, err = tool.ReadAll(f)
		return p, false, err
	}
	var r io.Reader = f
	if x.seek < 0 {
		if p, err = tool.ReadAll(f); err != nil {
			return nil, false, err
		}
		x.seek = max(0, int64(len(p))+x.seek)
		r = bytes.NewReader(p)
	}
	switch _, err := io.CopyN(io.Discard, r, x.seek); {
	case err == io.EOF:
		return nil, true, nil
	case err != nil:
		return nil, false, err
	}
	if x.length >= 0 {
		r = io.LimitReader(r, x.length)
	}
	p, err = tool.ReadAll(r)
	return p, false, err
}

func (x *xxdState) hex() string {
	if x.upper {
		return "%X"
	}
	return "%x"
}

func (x *xxdState) parse(args []string) (files []string, ok bool) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' {
			files = append(files, a)
			continue
		}
		if a == "--" {
			return append(files, args[i+1:]...), true
		}
		name := strings.TrimLeft(a, "-")
		switch {
		case name == "p" || name == "ps" || name == "plain" || name == "postscript":
			x.kind = 'p'
		case name == "r" || name == "revert":
			x.reverse = true
		case name == "u" || name == "uppercase":
			x.upper = true
		case name == "i" || name == "include":
			x.kind = 'i'
		case name == "b" || name == "bits":
			x.kind = 'b'
		case name == "e":
			x.kind = 'e'
		case name == "C" || name == "capitalize":
			x.capital = true
		case name == "d":
			x.decimal = true
		case name == "E" || name == "a":
		case name != "" && strings.IndexByte("cglson", name[0]) >= 0:
			arg := strings.TrimLeft(name[1:], "abcdefghijklmnopqrstuvwxyz")
			if arg == "" || len(name) > 1 && name[1] >= 'a' {
				if i++; i == len(args) {
					return nil, false
				}
				arg = args[i]
			}
			if name[0] == 'n' {
				x.name = arg
				continue
			}
			n, _ := strconv.ParseInt(arg, 0, 64)
			switch name[0] {
			case 'c':
				x.cols = int(min(n, 1<<20))
			case 'g':
				x.group = int(max(0, min(n, 1<<20)))
			case 'l':
				x.length = n
			case 's':
				x.seek = n
			case 'o':
				x.offset = n
			}
		case strings.Trim(name, "pruibe") == "":
			for _, c := range name {
				if _, ok := x.parse([]string{"-" + string(c)}); !ok {
					return nil, false
				}
			}
		default:
			return nil, false
		}
	}
	return files, true
}

// settle fills in what was not given. It reports whether all that was fits together, and tells if
// not.
func (x *xxdState) settle(env *tool.Env) bool {
	if x.cols <= 0 {
		x.cols = 16
		switch x.kind {
		case 'p':
			x.cols = 30
		case 'i':
			x.cols = 12
		case 'b':
			x.cols = 6
		}
	}
	if x.group < 0 {
		x.group = 2
		switch x.kind {
		case 'b':
			x.group = 1
		case 'e':
			x.group = 4
		}
	}
	const most = 256
	if x.cols > most && x.kind != 'i' && x.kind != 'p' {
		env.Errorf("invalid number of columns (max. %d).", most)
		return false
	}
	if x.kind == 'e' && x.group&(x.group-1) != 0 {
		env.Errorf("number of octets per group must be a power of 2 with -e.")
		return false
	}
	if x.group == 0 {
		x.group = x.cols
	}
	return true
}

// row shows one row: its offset, its bytes in groups, its text.
func (x *xxdState) row(out *bufio.Writer, offset int64, row []byte) {
	var b strings.Builder
	width := 2
	if x.kind == 'b' {
		width = 8
	}
	for i := 0; i < x.cols; i += x.group {
		n := min(x.group, x.cols-i)
		for k := range n {
			at := i + k
			if x.kind == 'e' {
				at = i + n - 1 - k
			}
			switch {
			case at >= len(row):
				b.WriteString(strings.Repeat(" ", width))
			case x.kind == 'b':
				fmt.Fprintf(&b, "%08b", row[at])
			default:
				fmt.Fprintf(&b, strings.Replace(x.hex(), "%", "%02", 1), row[at])
			}
		}
		b.WriteByte(' ')
	}
	address := "%08x"
	if x.decimal {
		address = "%08d"
	}
	fmt.Fprintf(out, address+": %s %s\n", offset, b.String(), ascii(row))
}

// writeC writes the bytes as an array of C.
func (x *xxdState) writeC(out *bufio.Writer, p []byte, file string) {
	name := x.name
	if name == "" && file != "-" {
		name = strings.Map(func(c rune) rune {
			if c < 128 && (c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
				return c
			}
			return '_'
		}, file)
		if '0' <= name[0] && name[0] <= '9' {
			name = "__" + name
		}
	}
	length := "_len"
	if x.capital {
		name, length = strings.ToUpper(name), "_LEN"
	}
	if name != "" {
		fmt.Fprintf(out, "unsigned char %s[] = {\n", name)
	}
	for i, c := range p {
		switch {
		case i%x.cols == 0 && i > 0:
			out.WriteString(",\n  ")
		case i == 0:
			out.WriteString("  ")
		default:
			out.WriteString(", ")
		}
		if x.upper {
			fmt.Fprintf(out, "0X%02X", c)
		} else {
			fmt.Fprintf(out, "0x%02x", c)
		}
	}
	if len(p) > 0 {
		out.WriteByte('\n')
	}
	if name != "" {
		fmt.Fprintf(out, "};\nunsigned int %s%s = %d;\n", name, length, len(p))
	}
}
