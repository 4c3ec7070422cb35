package order

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const uniqOptions = "c,count d,repeated D all-repeated? f,skip-fields= group? i,ignore-case s,skip-chars= u,unique w,check-chars= z,zero-terminated"

type uniqState struct {
	count, repeated, unique, fold bool
	all                           string // of -D: none, prepend or separate
	group                         string // of --group: separate, prepend, append or both
	fields, chars, width          int    // width is -1 for no limit
	delim                         byte
	out                           io.Writer

	groups int
	line   []byte // being written
}

func uniq(env *tool.Env, args []string) int {
	opts, status := env.Options(args, uniqOptions)
	if opts == nil {
		return status
	}
	u := &uniqState{width: -1, delim: '\n', out: env.Out}
	for _, o := range opts.Options {
		ok := true
		switch o.Name {
		case "c":
			u.count = true
		case "d":
			u.repeated = true
		case "D", "all-repeated":
			u.all = "none"
			if o.Set && !choose(env, o.Arg, "--all-repeated", &u.all, "none", "prepend", "separate") {
				return env.TryHelp()
			}
		case "group":
			u.group = "separate"
			if o.Set && !choose(env, o.Arg, "--group", &u.group, "prepend", "append", "separate", "both") {
				return env.TryHelp()
			}
		case "f":
			u.fields, ok = skipCount(env, o.Arg, "invalid number of fields to skip")
		case "s":
			u.chars, ok = skipCount(env, o.Arg, "invalid number of bytes to skip")
		case "w":
			u.width, ok = skipCount(env, o.Arg, "invalid number of bytes to compare")
		case "i":
			u.fold = true
		case "u":
			u.unique = true
		case "z":
			u.delim = 0
		}
		if !ok {
			return 1
		}
	}
	files := opts.Operands
	switch {
	case len(files) > 2:
		return env.UsageError("extra operand %s", env.Quote(files[2]))
	case u.group != "" && (u.count || u.repeated || u.unique || u.all != ""):
		return env.UsageError("--group is mutually exclusive with -c/-d/-D/-u")
	case u.count && u.all != "":
		return env.UsageError("printing all duplicated lines and repeat counts is meaningless")
	}
	in := "-"
	if len(files) > 0 {
		in = files[0]
	}
	r, err := env.Input(in)
	if err != nil {
		env.FileError(in, err)
		return 1
	}
	defer r.Close()
	if len(files) == 2 && files[1] != "-" {
		f, err := env.Create(files[1], os.O_TRUNC)
		if err != nil {
			env.FileError(files[1], err)
			return 1
		}
		defer f.Close()
		u.out = f
	}
	if err := u.run(env, r); err != nil {
		env.Errorf("error reading %s", tool.QuoteAlways(in))
		return 1
	}
	return 0
}

// choose reads an argument that may be one of words or a beginning of one.
func choose(env *tool.Env, arg, option string, dst *string, words ...string) bool {
	for _, w := range words {
		if arg != "" && strings.HasPrefix(w, arg) {
			*dst = w
			return true
		}
	}
	env.Errorf("invalid argument %s for %s", env.Quote(arg), env.Quote(option))
	env.Warn("Valid arguments are:")
	for _, w := range words {
		env.Warn("  - " + env.Quote(w))
	}
	return false
}

func skipCount(env *tool.Env, arg, what string) (int, bool) {
	n, err := strconv.ParseUint(arg, 10, 62)
	if err != nil {
		env.Errorf("%s: %s", arg, what)
	}
	return int(n), err == nil
}

// key returns the part of a line that is compared.
func (u *uniqState) key(line []byte) []byte {
	for n := u.fields; n > 0 && len(line) > 0; n-- {
		line = line[oneField(line, 0, -1):]
	}
	line = line[min(u.chars, len(line)):]
	if u.width >= 0 {
		line = line[:min(u.width, len(line))]
	}
	return line
}

func (u *uniqState) same(a, b []byte) bool {
	if !u.fold && len(a) == len(b) && bytes.Equal(a, b) {
		return true
	}
	if u.fold {
		return bytes.EqualFold(u.key(a), u.key(b))
	}
	return bytes.Equal(u.key(a), u.key(b))
}

func (u *uniqState) run(env *tool.Env, r io.Reader) error {
	lines := tool.NewLines(r, u.delim)
	var first []byte // of the group
	var group [][]byte
	whole := u.all != "" || u.group != ""
	count := 0
	for !env.Stopped() {
		line, ok := lines.Next()
		if !ok {
			break
		}
		if count > 0 && u.same(first, line) {
			count++
		} else {
			u.flush(first, group, count)
			first, group, count = append(first[:0], line...), group[:0], 1
		}
		if whole {
			group = append(group, bytes.Clone(line))
		}
	}
	u.flush(first, group, count)
	if u.groups > 0 && (u.group == "append" || u.group == "both") {
		u.out.Write([]byte{u.delim})
	}
	return lines.Err()
}

// flush writes a group of equal lines.
func (u *uniqState) flush(first []byte, group [][]byte, count int) {
	if count == 0 {
		return
	}
	if u.all != "" {
		if count == 1 || u.unique {
			return
		}
		u.separate(u.all)
		u.writeAll(group)
		return
	}
	if u.group != "" {
		u.separate(u.group)
		u.writeAll(group)
		return
	}
	if u.repeated && count == 1 || u.unique && count > 1 {
		return
	}
	u.line = u.line[:0]
	if u.count {
		for width := len(strconv.Itoa(count)); width < 7; width++ {
			u.line = append(u.line, ' ')
		}
		u.line = append(strconv.AppendInt(u.line, int64(count), 10), ' ')
	}
	u.line = append(append(u.line, first...), u.delim)
	u.out.Write(u.line)
}

// separate writes an empty line before a group if method asks for one.
func (u *uniqState) separate(method string) {
	if method == "prepend" || method == "both" || (method == "separate" || method == "append") && u.groups > 0 {
		u.out.Write([]byte{u.delim})
	}
	u.groups++
}

func (u *uniqState) writeAll(lines [][]byte) {
	for _, l := range lines {
		u.out.Write(l)
		u.out.Write([]byte{u.delim})
	}
}
