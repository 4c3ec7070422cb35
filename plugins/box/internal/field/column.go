package field

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const columnOptions = "c,output-width= columns= e,table-header-repeat J,json N,table-columns= n,table-name= o,output-separator= R,table-right= s,separator= t,table x,fillrows " +
	"L,keep-empty-lines V h"

type columnState struct {
	width     int
	table     bool
	fillRows  bool
	keepEmpty bool
	in        string // separators of the input; "" for runs of blanks
	out       string
	right     map[int]bool
	header    []string
}

func column(env *tool.Env, args []string) int {
	opts, status := env.Options(args, columnOptions)
	if opts == nil {
		return status
	}
	c := &columnState{width: 80, out: "  ", right: map[int]bool{}}
	c.width = env.Columns(c.width)
	right := ""
	for _, o := range opts.Options {
		switch o.Name {
		case "c", "columns":
			n, err := strconv.ParseUint(o.Arg, 10, 31)
			if err != nil {
				env.Errorf("invalid columns argument: '%s'", o.Arg)
				return 1
			}
			c.width = int(n)
		case "N":
			c.header = strings.Split(o.Arg, ",")
		case "o":
			c.out = o.Arg
		case "R":
			right = o.Arg
		case "s":
			c.in = o.Arg
		case "t":
			c.table = true
		case "x":
			c.fillRows = true
		case "L":
			c.keepEmpty = true
		}
	}
	for _, word := range strings.Split(right, ",") {
		if n, err := strconv.Atoi(word); err == nil {
			c.right[n-1] = true
		}
		for i, h := range c.header {
			if h == word {
				c.right[i] = true
			}
		}
	}
	if c.table && c.fillRows {
		env.Errorf("mutually exclusive arguments: --table --fillrows")
		return 1
	}
	var lines []string
	read := func(r io.Reader) error {
		in := tool.NewLines(r, '\n')
		for !env.Stopped() {
			line, ok := in.Next()
			if !ok {
				break
			}
			if len(bytes.TrimSpace(line)) > 0 || c.keepEmpty {
				// A table takes about three times as much again.
				if err := tool.Keep(len(line) + 4*tool.SizeOfLine); err != nil {
					return err
				}
				if len(lines) == cap(lines) {
					if err := tool.Keep(4 * tool.SizeOfLine * len(lines)); err != nil {
						return err
					}
				}
				lines = append(lines, string(line))
			}
		}
		return in.Err()
	}
	files := opts.Operands
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files { // its status counts those that it could not read
		r, err := env.Input(name)
		if err == nil {
			err = read(r)
			r.Close()
		}
		if err != nil {
			env.Errorf("%s: %s", name, tool.Strerror(err))
			status++
		}
	}
	if c.table {
		c.writeTable(env, lines)
		return status
	}
	c.fill(env, lines)
	return status
}

func (c *columnState) writeTable(env *tool.Env, lines []string) {
	var rows [][]string
	if c.header != nil {
		rows = append(rows, c.header)
	}
	for _, line := range lines {
		if c.in == "" {
			rows = append(rows, strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' }))
			continue
		}
		rows = append(rows, splitAny(line, c.in))
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], tool.Columns(cell))
		}
	}
	for _, row := range rows {
		for i := range widths {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			pad := strings.Repeat(" ", widths[i]-tool.Columns(cell))
			switch {
			case c.right[i]:
				cell = pad + cell
			case i < len(widths)-1:
				cell += pad
			}
			if i > 0 {
				env.Out.WriteString(c.out)
			}
			env.Out.WriteString(cell)
		}
		env.Out.WriteByte('\n')
	}
}

// splitAny splits at each of the separators.
func splitAny(s, seps string) []string {
	var parts []string
	for {
		i := strings.IndexAny(s, seps)
		if i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i])
		s = s[i+1:]
	}
}

// fill arranges lines in columns as wide as the widest, rounded up to a tab stop.
func (c *columnState) fill(env *tool.Env, lines []string) {
	widest := 0
	for _, l := range lines {
		widest = max(widest, tool.Columns(l))
	}
	widest = (widest + 8) &^ 7
	columns := max(1, c.width/widest)
	rows := (len(lines) + columns - 1) / columns
	for r := range rows {
		at := 0
		for k := range columns {
			i := k*rows + r
			if c.fillRows {
				i = r*columns + k
			}
			if i >= len(lines) {
				break
			}
			for at < k*widest {
				env.Out.WriteByte('\t')
				at = at&^7 + 8
			}
			env.Out.WriteString(lines[i])
			at += tool.Columns(lines[i])
		}
		env.Out.WriteByte('\n')
	}
}
