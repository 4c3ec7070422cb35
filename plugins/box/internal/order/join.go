package order

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const joinOptions = "a= e= i,ignore-case j= o= t= v= 1= 2= z,zero-terminated check-order nocheck-order header"

// A joinState is one join at work.
type joinState struct {
	env      *tool.Env
	field    [2]int
	tab      int     // -1: runs of blanks
	alone    [2]bool // -a, -v
	paired   bool
	empty    string
	fold     bool
	format   []joinField // nil for the usual one
	auto     bool
	width    [2]int // fields of the first lines, for -o auto
	delim    byte
	check    checkMode
	unpaired bool
	warned   [2]bool // for each file
}

// A joinField is FILE.FIELD of -o; file -1 is the join field.
type joinField struct{ file, field int }

// A row is a line split into fields.
type row struct {
	line   []byte
	fields [][]byte
}

func join(env *tool.Env, args []string) int {
	opts, status := env.Options(args, joinOptions)
	if opts == nil {
		return status
	}
	j := &joinState{env: env, tab: -1, paired: true, delim: '\n'}
	for _, o := range opts.Options {
		var err error
		switch o.Name {
		case "a", "v":
			if o.Arg != "1" && o.Arg != "2" {
				err = fmt.Errorf("invalid file number: %s", env.Quote(o.Arg))
				if n, e := strconv.Atoi(o.Arg); e != nil || n != 0 {
					err = fmt.Errorf("invalid field number: %s", env.Quote(o.Arg))
				}
				break
			}
			j.alone[o.Arg[0]-'1'] = true
			j.paired = j.paired && o.Name == "a"
		case "e":
			j.empty = o.Arg
		case "i":
			j.fold = true
		case "j", "1", "2":
			n, e := strconv.Atoi(o.Arg)
			if e != nil || n < 1 {
				err = fmt.Errorf("invalid field number: %s", env.Quote(o.Arg))
			}
			if o.Name != "2" {
				j.field[0] = n - 1
			}
			if o.Name != "1" {
				j.field[1] = n - 1
			}
		case "o":
			err = j.parseFormat(o.Arg)
		case "t":
			if o.Arg == "" {
				j.tab = '\n'
				break
			}
			j.tab, err = parseTab(env, o.Arg)
		case "z":
			j.delim = 0
		case "check-order":
			j.check = checkAlways
		case "nocheck-order":
			j.check = checkNever
		}
		if err != nil {
			env.Errorf("%v", err)
			return 1
		}
	}
	files := opts.Operands
	switch {
	case len(files) == 0:
		return env.UsageError("missing operand")
	case len(files) == 1:
		return env.UsageError("missing operand after %s", env.Quote(files[0]))
	case len(files) > 2:
		return env.UsageError("extra operand %s", env.Quote(files[2]))
	}
	var rows [2][]row
	for i, name := range files {
		p, err := env.ReadFile(name)
		if err != nil {
			env.FileError(name, err)
			return 1
		}
		for len(p) > 0 {
			line, rest, _ := bytes.Cut(p, []byte{j.delim})
			rows[i] = append(rows[i], row{line, j.split(line)})
			p = rest
		}
		if len(rows[i]) > 0 {
			j.width[i] = len(rows[i][0].fields)
		}
	}
	return j.run(files, rows, opts.Has("header"))
}

func (j *joinState) parseFormat(spec string) error {
	if spec == "auto" {
		j.auto = true
		return nil
	}
	for _, word := range strings.FieldsFunc(spec, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }) {
		if word == "0" {
			j.format = append(j.format, joinField{file: -1})
			continue
		}
		file, field, ok := strings.Cut(word, ".")
		if !ok || file != "1" && file != "2" {
			return fmt.Errorf("invalid file number in field spec: %s", j.env.Quote(word))
		}
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("invalid field number: %s", j.env.Quote(field))
		}
		j.format = append(j.format, joinField{int(file[0] - '1'), n - 1})
	}
	return nil
}

func (j *joinState) split(line []byte) [][]byte {
	switch {
	case j.tab < 0:
		return bytes.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' })
	case j.tab == '\n':
		return [][]byte{line}
	}
	return bytes.Split(line, []byte{byte(j.tab)})
}

func (j *joinState) key(r row, file int) []byte {
	if f := j.field[file]; f < len(r.fields) {
		return r.fields[f]
	}
	return nil
}

func (j *joinState) compare(a, b []byte) int {
	if j.fold {
		a, b = bytes.ToLower(a), bytes.ToLower(b)
	}
	return bytes.Compare(a, b)
}

func (j *joinState) run(files []string, rows [2][]row, header bool) int {
	a, b := rows[0], rows[1]
	if header && len(a) > 0 && len(b) > 0 {
		j.write(&a[0], &b[0])
		a, b = a[1:], b[1:]
	}
	x, y := 0, 0
	for x < len(a) && y < len(b) && !j.env.Stopped() {
		switch c := j.compare(j.key(a[x], 0), j.key(b[y], 1)); {
		case c < 0:
			j.writeAlone(0, &a[x])
			j.unpaired = true
			x++
			if !j.inOrder(files, a, x, 0) {
				return 1
			}
		case c > 0:
			j.writeAlone(1, &b[y])
			j.unpaired = true
			y++
			if !j.inOrder(files, b, y, 1) {
				return 1
			}
		default:
			endX, endY := j.sameKey(a, x, 0), j.sameKey(b, y, 1)
			if j.paired {
				for i := x; i < endX; i++ {
					for k := y; k < endY; k++ {
						j.write(&a[i], &b[k])
					}
				}
			}
			x, y = endX, endY
			if !j.inOrder(files, a, x, 0) || !j.inOrder(files, b, y, 1) {
				return 1
			}
		}
	}
	for ; x < len(a); x++ {
		j.writeAlone(0, &a[x])
		j.unpaired = true
		if !j.inOrder(files, a, x+1, 0) {
			return 1
		}
	}
	for ; y < len(b); y++ {
		j.writeAlone(1, &b[y])
		j.unpaired = true
		if !j.inOrder(files, b, y+1, 1) {
			return 1
		}
	}
	if j.warned[0] || j.warned[1] {
		j.env.Errorf("input is not in sorted order")
		return 1
	}
	return 0
}

// sameKey returns the end of the rows from i on that have the same key.
func (j *joinState) sameKey(rows []row, i, file int) int {
	end := i + 1
	for end < len(rows) && j.compare(j.key(rows[i], file), j.key(rows[end], file)) == 0 {
		end++
	}
	return end
}

// inOrder complains if row i is out of order, and returns false if that is fatal.
func (j *joinState) inOrder(files []string, rows []row, i, file int) bool {
	if i == 0 || i >= len(rows) || j.check == checkNever || j.check == checkPaired && !j.unpaired || j.warned[file] {
		return true
	}
	if j.compare(j.key(rows[i-1], file), j.key(rows[i], file)) <= 0 {
		return true
	}
	j.warned[file] = true
	j.env.Errorf("%s:%d: is not sorted: %s", files[file], i+1, rows[i].line)
	return j.check != checkAlways
}

func (j *joinState) writeAlone(file int, r *row) {
	if !j.alone[file] {
		return
	}
	if file == 0 {
		j.write(r, nil)
		return
	}
	j.write(nil, r)
}

// write writes one joined row; either side may be nil.
func (j *joinState) write(a, b *row) {
	sides := [2]*row{a, b}
	var key []byte
	for i, r := range sides {
		if r != nil && key == nil {
			key = j.key(*r, i)
		}
	}
	var out [][]byte
	switch {
	case j.format != nil:
		for _, f := range j.format {
			out = append(out, j.cell(sides, f, key))
		}
	default:
		out = append(out, key)
		for i, r := range sides {
			n := 0
			if r != nil {
				n = len(r.fields)
			}
			if j.auto {
				n = j.width[i]
			}
			for f := range n {
				if f != j.field[i] {
					out = append(out, j.cell(sides, joinField{i, f}, key))
				}
			}
		}
	}
	sep := byte(' ')
	if j.tab >= 0 && j.tab != '\n' {
		sep = byte(j.tab)
	}
	for i, cell := range out {
		if i > 0 {
			j.env.Out.WriteByte(sep)
		}
		j.env.Out.Write(cell)
	}
	j.env.Out.WriteByte(j.delim)
}

func (j *joinState) cell(sides [2]*row, f joinField, key []byte) []byte {
	if f.file < 0 {
		if len(key) == 0 {
			return []byte(j.empty)
		}
		return key
	}
	r := sides[f.file]
	if r == nil || f.field >= len(r.fields) || len(r.fields[f.field]) == 0 {
		return []byte(j.empty)
	}
	return r.fields[f.field]
}
