package digest

import (
	"bufio"
	"encoding/base32"
	"encoding/base64"
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A coding turns bytes into text and back. group is the number of characters that are decoded at
// once, of bits each.
type coding struct {
	encode   func([]byte) string
	bits     int
	group    int
	alphabet string
}

var (
	base64Coding = coding{base64.StdEncoding.EncodeToString, 6, 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"}
	base32Coding = coding{base32.StdEncoding.EncodeToString, 5, 8, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"}
)

// base is base64 and base32.
func base(c coding) func(*tool.Env, []string) int {
	return func(env *tool.Env, args []string) int {
		opts, status := env.Options(args, "d,decode i,ignore-garbage w,wrap=")
		if opts == nil {
			return status
		}
		width := 76
		for _, o := range opts.Options {
			if o.Name != "w" {
				continue
			}
			n, err := strconv.ParseUint(o.Arg, 10, 62)
			if err != nil {
				env.Errorf("invalid wrap size: %s", env.Quote(o.Arg))
				return 1
			}
			width = int(n)
		}
		if len(opts.Operands) > 1 {
			return env.UsageError("extra operand %s", env.Quote(opts.Operands[1]))
		}
		name := "-"
		if len(opts.Operands) == 1 {
			name = opts.Operands[0]
		}
		r, err := env.Input(name)
		if err != nil {
			env.FileError(name, err)
			return 1
		}
		defer r.Close()
		if opts.Has("d") {
			return c.decodeAll(env, r, opts.Has("i"))
		}
		if err := c.encodeAll(env, r, width); err != nil {
			env.Errorf("read error: %s", tool.Strerror(err))
			return 1
		}
		return 0
	}
}

// encodeAll writes what r has as text, in lines of that many characters unless width is 0.
func (c coding) encodeAll(env *tool.Env, r io.Reader, width int) error {
	buf := make([]byte, 15<<10) // a multiple of what is encoded at once: 3 bytes, or 5
	column := 0
	for !env.Stopped() {
		n, err := io.ReadFull(r, buf)
		for text := c.encode(buf[:n]); text != ""; {
			take := len(text)
			if width > 0 {
				take = min(take, width-column)
			}
			env.Out.WriteString(text[:take])
			text = text[take:]
			if column += take; column == width {
				env.Out.WriteByte('\n')
				column = 0
			}
			if env.Stopped() {
				return nil
			}
		}
		switch err {
		case nil:
			continue
		case io.EOF, io.ErrUnexpectedEOF:
			err = nil
		}
		if width > 0 && column > 0 {
			env.Out.WriteByte('\n')
		}
		return err
	}
	return nil
}

// decodeAll writes what the text in r stands for, up to the first group that is bad.
func (c coding) decodeAll(env *tool.Env, r io.Reader, garbage bool) int {
	in := bufio.NewReaderSize(r, 32<<10)
	group := make([]byte, 0, 8)
	var values [256]byte
	for i := range values {
		values[i] = byte(strings.IndexByte(c.alphabet, byte(i))) // 255 if it has none
	}
	for !env.Stopped() {
		b, err := in.ReadByte()
		if err == nil {
			if b == '\n' || garbage && values[b] == 255 && b != '=' {
				continue
			}
			if group = append(group, b); len(group) < c.group {
				continue
			}
		} else if err != io.EOF {
			env.Errorf("read error: %s", tool.Strerror(err))
			return 1
		} else if len(group) == 0 {
			return 0
		}
		short := len(group) < c.group
		if short { // what is there is still decoded
			group = append(group, "========"[len(group):c.group]...)
		}
		if !c.decode(env.Out, group, &values) || short {
			env.Errorf("invalid input")
			return 1
		}
		group = group[:0]
	}
	return 0
}

// decode writes what a group stands for. If it is bad, that is what comes before the fault.
func (c coding) decode(out *bufio.Writer, group []byte, values *[256]byte) (ok bool) {
	n, sum, have := 0, uint(0), 0
	for ; n < len(group) && values[group[n]] != 255; n++ {
		sum, have = sum<<c.bits|uint(values[group[n]]), have+c.bits
		if have >= 8 {
			have -= 8
			out.WriteByte(byte(sum >> have))
		}
	}
	// What pads a group stands for less than a byte and a character.
	return n > 0 && have < c.bits && strings.Trim(string(group[n:]), "=") == ""
}
