package dump

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const hexdumpOptions = "b,one-byte-octal c,one-byte-char C,canonical d,two-bytes-decimal e,format= f,format-file= L,color? n,length= " +
	"o,two-bytes-octal s,skip= v,no-squeezing x,two-bytes-hex h V"

// hexdump has no formats of one's own (-e): they are a language that od's formats stand in for.
func hexdump(env *tool.Env, args []string) int {
	opts, status := env.Options(args, hexdumpOptions)
	if opts == nil {
		return status
	}
	kind := byte('h')
	if strings.HasSuffix(env.Name, "hd") {
		kind = 'C'
	}
	skip, count, all := int64(0), int64(-1), false
	for _, o := range opts.Options {
		ok := true
		switch o.Name {
		case "b", "c", "C", "d", "o", "x":
			kind = o.Name[0]
		case "e", "f":
			env.Errorf("formats are not supported here: use od -t")
			return 1
		case "n":
			count, ok = hexdumpCount(o.Arg)
		case "s":
			skip, ok = hexdumpCount(o.Arg)
		case "v":
			all = true
		}
		if !ok {
			env.Errorf("failed to parse %s: '%s': Invalid argument", map[string]string{"n": "length", "s": "offset"}[o.Name], o.Arg)
			return 1
		}
	}
	r, status, opened, done := readAll(env, opts.Operands, skip, count)
	defer done()
	if !opened {
		env.Errorf("all input file arguments failed")
		return 1
	}
	digits := 7
	if kind == 'C' {
		digits = 8
	}
	starred := false
	n := eachRow(env, r, 16, all, func(offset int64, row []byte, same bool) {
		if same {
			if !starred {
				env.Out.WriteString("*\n")
			}
			starred = true
			return
		}
		starred = false
		fmt.Fprintf(env.Out, "%0*x", digits, offset+skip)
		env.Out.WriteString(hexdumpRow(kind, row) + "\n")
	})
	if n > 0 {
		fmt.Fprintf(env.Out, "%0*x\n", digits, n+skip)
	}
	return max(status, 0)
}

func hexdumpCount(arg string) (int64, bool) {
	if n, err := strconv.ParseInt(arg, 0, 64); err == nil && n >= 0 {
		return n, true
	}
	return tool.ParseCount(arg)
}

// hexdumpRow shows a row of at most 16 bytes, padded to the width of a full one.
func hexdumpRow(kind byte, row []byte) string {
	var b strings.Builder
	if kind == 'C' {
		for i := range 16 {
			if i%8 == 0 {
				b.WriteByte(' ')
			}
			if i < len(row) {
				fmt.Fprintf(&b, " %02x", row[i])
			} else {
				b.WriteString("   ")
			}
		}
		return b.String() + "  |" + ascii(row) + "|"
	}
	size, width, verb := 2, 8, "%04x"
	switch kind {
	case 'h':
		width = 5
	case 'b':
		size, width, verb = 1, 4, "%03o"
	case 'c':
		size, width = 1, 4
	case 'd':
		verb = "%05d"
	case 'o':
		verb = "%06o"
	}
	for i := 0; i < 16; i += size {
		item := ""
		switch {
		case i >= len(row):
		case kind == 'c':
			item = charName(row[i])
		case size == 1:
			item = fmt.Sprintf(verb, row[i])
		default:
			n := uint16(row[i])
			if i+1 < len(row) {
				n |= uint16(row[i+1]) << 8
			}
			item = fmt.Sprintf(verb, n)
		}
		fmt.Fprintf(&b, "%*s", width, item)
	}
	return b.String()
}
