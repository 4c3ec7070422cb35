package digest

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"io"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A coding turns bytes into text and back. group is the number of characters that are decoded at once.
type coding struct {
	encode   func([]byte) string
	decode   func(dst []byte, src []byte) (int, error)
	group    int
	alphabet string
}

var (
	base64Coding = coding{base64.StdEncoding.EncodeToString, base64.StdEncoding.Decode, 4,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="}
	base32Coding = coding{base32.StdEncoding.EncodeToString, base32.StdEncoding.Decode, 8, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567="}
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
		p, err := io.ReadAll(r)
		if err != nil {
			env.Errorf("read error: %s", tool.Strerror(err))
			return 1
		}
		if opts.Has("d") {
			return c.writeDecoded(env, p, opts.Has("i"))
		}
		text := c.encode(p)
		for width > 0 && len(text) > width {
			env.Out.WriteString(text[:width] + "\n")
			text = text[width:]
		}
		env.Out.WriteString(text)
		if width > 0 && text != "" {
			env.Out.WriteByte('\n')
		}
		return 0
	}
}

// writeDecoded writes what p stands for, up to the first group that is bad.
func (c coding) writeDecoded(env *tool.Env, p []byte, garbage bool) int {
	clean := make([]byte, 0, len(p))
	for _, b := range p {
		if b == '\n' || garbage && bytes.IndexByte([]byte(c.alphabet), b) < 0 {
			continue
		}
		clean = append(clean, b)
	}
	var buf [8]byte
	for len(clean) > 0 {
		group := clean[:min(c.group, len(clean))]
		clean = clean[len(group):]
		short := len(group) < c.group
		if short {
			// What is there is still decoded.
			group = append(bytes.Clone(group), "========"[len(group):c.group]...)
		}
		n, err := c.decode(buf[:], group)
		env.Out.Write(buf[:n])
		if err != nil || short {
			env.Errorf("invalid input")
			return 1
		}
	}
	return 0
}
