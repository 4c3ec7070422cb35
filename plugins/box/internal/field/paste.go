package field

import (
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func paste(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "d,delimiters= s,serial z,zero-terminated")
	if opts == nil {
		return status
	}
	seps, end := []string{"\t"}, byte('\n')
	for _, o := range opts.Options {
		switch o.Name {
		case "d":
			var ok bool
			if seps, ok = delimiters(o.Arg); !ok {
				env.Errorf("delimiter list ends with an unescaped backslash: %s", o.Arg)
				return 1
			}
		case "z":
			end = 0
		}
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"-"}
	}
	if opts.Has("s") {
		return pasteSerial(env, names, seps, end)
	}
	return pasteParallel(env, names, seps, end)
}

// delimiters splits the argument of -d, in which \0 is an empty one.
func delimiters(s string) ([]string, bool) {
	if s == "" {
		return []string{""}, true
	}
	var seps []string
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			seps = append(seps, s[i:i+1])
			continue
		}
		i++
		if i == len(s) {
			return nil, false
		}
		if k := strings.IndexByte("bfnrtv0", s[i]); k >= 0 {
			seps = append(seps, []string{"\b", "\f", "\n", "\r", "\t", "\v", ""}[k])
			continue
		}
		seps = append(seps, s[i:i+1])
	}
	return seps, true
}

// pasteSerial writes the lines of each file as one.
func pasteSerial(env *tool.Env, names, seps []string, end byte) int {
	return env.Each(names, func(_ string, r io.Reader) error {
		lines := tool.NewLines(r, end)
		for n := 0; !env.Stopped(); n++ {
			line, ok := lines.Next()
			if !ok {
				break
			}
			if n > 0 {
				env.Out.WriteString(seps[(n-1)%len(seps)])
			}
			env.Out.Write(line)
		}
		env.Out.WriteByte(end)
		return lines.Err()
	})
}

// pasteParallel writes the first lines of all files, then the second ones, until all have ended.
func pasteParallel(env *tool.Env, names, seps []string, end byte) int {
	inputs := make([]*tool.Lines, len(names))
	var stdin *tool.Lines // shared, if it is named more than once
	for i, name := range names {
		if name == "-" {
			if stdin == nil {
				stdin = tool.NewLines(env.Stdin, end)
			}
			inputs[i] = stdin
			continue
		}
		r, err := env.Input(name)
		if err != nil {
			env.FileError(name, err)
			return 1
		}
		defer r.Close()
		inputs[i] = tool.NewLines(r, end)
	}
	open := make([]bool, len(names))
	for i := range open {
		open[i] = true
	}
	for !env.Stopped() {
		pending := "" // separators are written once it is clear that a line follows
		any := false
		for i, in := range inputs {
			if i > 0 {
				pending += seps[(i-1)%len(seps)]
			}
			if !open[i] {
				continue
			}
			line, ok := in.Next()
			if !ok {
				open[i] = false
				continue
			}
			any = true
			env.Out.WriteString(pending)
			pending = ""
			env.Out.Write(line)
		}
		if !any {
			break
		}
		env.Out.WriteString(pending)
		env.Out.WriteByte(end)
	}
	status := 0
	for i, in := range inputs {
		if err := in.Err(); err != nil {
			env.FileError(names[i], err)
			status = 1
		}
	}
	return status
}
