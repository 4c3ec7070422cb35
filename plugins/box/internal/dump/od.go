package dump

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const odOptions = "A,address-radix= j,skip-bytes= N,read-bytes= S= strings? t,format= v,output-duplicates w,width? traditional endian= " +
	"a b c d f h H i I l L o s x X e B D F O"

// A format is one way to show a row: of which type the items are, and how wide.
type format struct {
	kind  byte // a, c, d, f, o, u or x
	size  int  // bytes per item
	width int  // columns per item, with the blank before it
	z     bool // also as text
}

func od(env *tool.Env, args []string) int {
	opts, status := env.Options(args, odOptions)
	if opts == nil {
		return status
	}
	o := &odState{env: env, radix: 'o', order: binary.LittleEndian, width: -1}
	skip, count, least := int64(0), int64(-1), int64(0)
	texts := false
	for _, opt := range opts.Options {
		var err error
		switch opt.Name {
		case "A":
			if opt.Arg == "" || strings.IndexByte("doxn", opt.Arg[0]) < 0 {
				c := byte(0)
				if opt.Arg != "" {
					c = opt.Arg[0]
				}
				err = fmt.Errorf("invalid output address radix '%c'; it must be one character from [doxn]", c)
				break
			}
			o.radix = opt.Arg[0]
		case "j":
			skip, err = odCount(env, opt.Arg, "-j")
		case "N":
			count, err = odCount(env, opt.Arg, "-N")
		case "S", "strings":
			least = 3
			if opt.Set || opt.Name == "S" {
				least, err = odCount(env, opt.Arg, "-S")
			}
			texts = true
		case "t":
			err = o.addFormats(opt.Arg)
		case "v":
			o.all = true
		case "w":
			o.width = 32
			if opt.Set {
				n, e := strconv.Atoi(opt.Arg)
				if e != nil || n < 0 || n > 1<<16 {
					err = fmt.Errorf("invalid -w argument %s", env.Quote(opt.Arg))
				}
				o.width = n
			}
		case "endian":
			if strings.HasPrefix("big", opt.Arg) {
				o.order = binary.BigEndian
			}
		default:
			err = o.addFormats(map[string]string{
				"a": "a", "b": "o1", "c": "c", "d": "u2", "f": "fF", "h": "x2", "H": "x4", "i": "dI", "I": "dL", "l": "dL",
				"L": "dL", "o": "o2", "s": "d2", "x": "x2", "X": "x4", "e": "fD", "B": "o2", "D": "u4", "F": "fD", "O": "o4",
			}[opt.Name])
		}
		if err != nil {
			env.Errorf("%v", err)
			return 1
		}
	}
	if texts && len(o.formats) > 0 {
		env.Errorf("no type may be specified when dumping strings")
		return 1
	}
	if len(o.formats) == 0 {
		o.addFormats("o2")
	}
	o.settle()
	r, status, opened, done := readAll(env, opts.Operands, skip, count)
	defer done()
	if status < 0 && opened {
		env.Errorf("cannot skip past end of combined input")
		return 1
	}
	if !opened {
		return status
	}
	if texts {
		if err := o.texts(r, skip, int(min(least, 1<<30))); err != nil {
			env.Errorf("%s", tool.Strerror(err))
			return 1
		}
		return status
	}
	starred := false
	n := eachRow(env, r, o.width, o.all, func(offset int64, row []byte, same bool) {
		if same {
			if !starred {
				env.Out.WriteString("*\n")
			}
			starred = true
			return
		}
		starred = false
		o.row(offset+skip, row)
	})
	if a := o.address(n + skip); a != "" {
		env.Out.WriteString(a + "\n")
	}
	return status
}

// odCount reads a count, which may be octal, hexadecimal or have a unit.
func odCount(env *tool.Env, arg, option string) (int64, error) {
	if n, err := strconv.ParseInt(arg, 0, 64); err == nil && n >= 0 && !strings.HasPrefix(arg, "0b") && !strings.HasPrefix(arg, "0o") {
		return n, nil
	}
	n, ok := tool.ParseCount(arg)
	if !ok {
		return 0, fmt.Errorf("invalid %s argument %s", option, tool.QuoteAlways(arg))
	}
	return n, nil
}

type odState struct {
	env     *tool.Env
	radix   byte
	formats []format
	all     bool
	width   int // bytes in a row
	order   binary.ByteOrder
	columns int // in a row
}

// addFormats parses the argument of -t, such as "x1z" or "d4c".
func (o *odState) addFormats(spec string) error {
	whole := spec
	for spec != "" {
		f := format{kind: spec[0], size: 4}
		if strings.IndexByte("acdfoux", f.kind) < 0 {
			return fmt.Errorf("invalid character '%c' in type string %s", f.kind, o.env.Quote(whole))
		}
		spec = spec[1:]
		if f.kind == 'a' || f.kind == 'c' {
			f.size = 1
		} else {
			if f.kind == 'f' {
				f.size = 8
			}
			i := 0
			for i < len(spec) && '0' <= spec[i] && spec[i] <= '9' {
				i++
			}
			switch {
			case i > 0:
				n, _ := strconv.Atoi(spec[:i])
				if n != 1 && n != 2 && n != 4 && n != 8 || f.kind == 'f' && n < 4 {
					return fmt.Errorf("invalid type string %s;\nthis system doesn't provide a %d-byte %s type", o.env.Quote(whole), n,
						map[bool]string{true: "floating point", false: "integral"}[f.kind == 'f'])
				}
				f.size, spec = n, spec[i:]
			case spec != "":
				if k := strings.IndexByte("CSILFD", spec[0]); k >= 0 && !(f.kind == 'f' && k < 4) {
					f.size = []int{1, 2, 4, 8, 4, 8}[k]
					spec = spec[1:]
				}
			}
		}
		if strings.HasPrefix(spec, "z") {
			f.z = true
			spec = spec[1:]
		}
		f.width = 1 + map[byte][]int{
			'a': {3}, 'c': {3}, 'd': {4, 6, 0, 11, 0, 0, 0, 20}, 'u': {3, 5, 0, 10, 0, 0, 0, 20}, 'o': {3, 6, 0, 11, 0, 0, 0, 22},
			'x': {2, 4, 0, 8, 0, 0, 0, 16}, 'f': {0, 0, 0, 15, 0, 0, 0, 24},
		}[f.kind][f.size-1]
		o.formats = append(o.formats, f)
	}
	return nil
}

// settle makes items of different formats line up, and the rows hold whole items.
func (o *odState) settle() {
	largest := 0
	for _, f := range o.formats {
		largest = max(largest, f.size)
	}
	if o.width < 0 {
		o.width = 16
	}
	if o.width%largest != 0 || o.width == 0 {
		o.env.Errorf("warning: invalid width %d; using %d instead", o.width, largest)
		o.width = largest
	}
	for _, f := range o.formats {
		o.columns = max(o.columns, f.width*(o.width/f.size))
	}
}

func (o *odState) address(n int64) string {
	switch o.radix {
	case 'd':
		return fmt.Sprintf("%07d", n)
	case 'o':
		return fmt.Sprintf("%07o", n)
	case 'x':
		return fmt.Sprintf("%06x", n)
	}
	return ""
}

// row shows a row in each format, below each other.
func (o *odState) row(offset int64, row []byte) {
	address := o.address(offset)
	for i, f := range o.formats {
		if i > 0 {
			address = strings.Repeat(" ", len(address))
		}
		o.env.Out.WriteString(address)
		// What the widest format has more is shared out among the items, from the right.
		items := o.width / f.size
		spare := o.columns - (f.width-1)*items
		left := items
		for p := row; len(p) > 0; left-- {
			item := make([]byte, f.size)
			k := copy(item, p)
			p = p[k:]
			width := f.width - 1 + spare*left/items - spare*(left-1)/items
			fmt.Fprintf(o.env.Out, "%*s", width, f.show(item, o.order))
		}
		if f.z {
			o.env.Out.WriteString(strings.Repeat(" ", (f.width-1)*left+spare*left/items) + "  >" + ascii(row) + "<")
		}
		o.env.Out.WriteByte('\n')
	}
}

// show formats one item.
func (f format) show(p []byte, order binary.ByteOrder) string {
	var n uint64
	switch f.size {
	case 1:
		n = uint64(p[0])
	case 2:
		n = uint64(order.Uint16(p))
	case 4:
		n = uint64(order.Uint32(p))
	default:
		n = order.Uint64(p)
	}
	switch f.kind {
	case 'a':
		return named(byte(n) & 0x7f)
	case 'c':
		return charName(byte(n))
	case 'd':
		shift := 64 - 8*f.size
		return strconv.FormatInt(int64(n<<shift)>>shift, 10)
	case 'u':
		return strconv.FormatUint(n, 10)
	case 'o':
		return fmt.Sprintf("%0*o", f.width-1, n)
	case 'x':
		return fmt.Sprintf("%0*x", 2*f.size, n)
	}
	if f.size == 4 {
		return shortest(float64(math.Float32frombits(uint32(n))), 32)
	}
	return shortest(math.Float64frombits(n), 64)
}

// shortest formats a number with as few digits as tell it from others, in the manner of %g.
func shortest(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	digits := len(strings.Trim(strings.ReplaceAll(strings.SplitN(s, "e", 2)[0], ".", ""), "-0"))
	exp := 0
	if x != 0 {
		exp = int(math.Floor(math.Log10(math.Abs(x))))
	}
	if exp < -4 || exp >= max(digits, map[int]int{32: 6, 64: 15}[bits]) {
		return strconv.FormatFloat(x, 'e', -1, bits)
	}
	return strconv.FormatFloat(x, 'f', -1, bits)
}

// named is the name of a character in ASCII.
func named(c byte) string {
	const names = "nulsohstxetxeotenqackbel bs ht nl vt ff cr so sidledc1dc2dc3dc4naksynetbcan emsubesc fs gs rs us sp"
	switch {
	case c <= ' ':
		return strings.TrimSpace(names[3*c : 3*c+3])
	case c == 127:
		return "del"
	}
	return string(rune(c))
}

// charName shows a byte as C would write it, or in octal.
func charName(c byte) string {
	switch {
	case c == 0:
		return `\0`
	case '\a' <= c && c <= '\r':
		return `\` + string("abtnvfr"[c-'\a'])
	case c < ' ' || c > '~':
		return fmt.Sprintf("%03o", c)
	}
	return string(rune(c))
}
