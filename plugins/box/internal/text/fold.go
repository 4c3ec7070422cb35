package text

import (
	"bytes"
	"io"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const foldOptions = "b,bytes s,spaces w,width= 0 1 2 3 4 5 6 7 8 9"

// fold breaks lines that are too wide. Debian's counts bytes as columns, whatever the locale.
func fold(env *tool.Env, args []string) int {
	opts, status := env.Options(args, foldOptions)
	if opts == nil {
		return status
	}
	width, digits := 80, ""
	for _, o := range opts.Options {
		arg := o.Arg
		switch {
		case o.Name >= "0" && o.Name <= "9":
			digits += o.Name
			arg = digits
		case o.Name != "w":
			continue
		}
		n, err := strconv.Atoi(arg)
		switch {
		case err != nil:
			env.Errorf("invalid number of columns: %s", env.Quote(arg))
			return 1
		case n < 1:
			env.Errorf("invalid number of columns: %s: Numerical result out of range", env.Quote(arg))
			return 1
		}
		width = n
	}
	f := folder{width: width, inBytes: opts.Has("b"), atSpaces: opts.Has("s")}
	return env.Each(opts.Operands, func(_ string, r io.Reader) error {
		lines := tool.NewLines(r, '\n')
		for !env.Stopped() {
			line, ok := lines.Next()
			if !ok {
				break
			}
			f.fold(env, line)
			if lines.Ended {
				env.Out.WriteByte('\n')
			}
		}
		return lines.Err()
	})
}

type folder struct {
	width             int
	inBytes, atSpaces bool
}

func (f *folder) fold(env *tool.Env, line []byte) {
	start, column := 0, 0
	for i := 0; i < len(line); i++ {
		column = f.after(column, line[i])
		if column <= f.width || i == start {
			continue
		}
		cut := i
		if f.atSpaces {
			if k := bytes.LastIndexAny(line[start:i], " \t"); k >= 0 {
				cut = start + k + 1
			}
		}
		env.Out.Write(line[start:cut])
		env.Out.WriteByte('\n')
		start, column = cut, 0
		i = cut - 1
	}
	env.Out.Write(line[start:])
}

// after returns the column behind c.
func (f *folder) after(column int, c byte) int {
	switch {
	case f.inBytes:
		return column + 1
	case c == '\b':
		return max(0, column-1)
	case c == '\r':
		return 0
	case c == '\t':
		return column + 8 - column%8
	}
	return column + 1
}
