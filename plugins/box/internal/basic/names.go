package basic

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func basename(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "+ a,multiple s,suffix= z,zero")
	if opts == nil {
		return status
	}
	names, end, suffix, many := opts.Operands, "\n", "", false
	for _, o := range opts.Options {
		switch o.Name {
		case "a":
			many = true
		case "s":
			suffix, many = o.Arg, true
		case "z":
			end = "\x00"
		}
	}
	switch {
	case len(names) == 0:
		return env.UsageError("missing operand")
	case !many && len(names) > 2:
		return env.UsageError("extra operand %s", env.Quote(names[2]))
	case !many && len(names) == 2:
		names, suffix = names[:1], names[1]
	}
	for _, name := range names {
		base := lastPart(name)
		if cut := strings.TrimSuffix(base, suffix); cut != "" && base != "/" {
			base = cut
		}
		env.Out.WriteString(base + end)
	}
	return 0
}

// lastPart returns what follows the last slash that is not at the end.
func lastPart(name string) string {
	base := strings.TrimRight(name, "/")
	if base == "" && name != "" {
		return "/"
	}
	return base[strings.LastIndexByte(base, '/')+1:]
}

func dirname(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "+ z,zero")
	if opts == nil {
		return status
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing operand")
	}
	end := "\n"
	if opts.Has("z") {
		end = "\x00"
	}
	for _, name := range opts.Operands {
		env.Out.WriteString(parent(name) + end)
	}
	return 0
}

// parent returns what precedes the last slash that is not at the end.
func parent(name string) string {
	base := strings.TrimRight(name, "/")
	if base == "" && name != "" {
		return "/"
	}
	i := strings.LastIndexByte(base, '/')
	if i < 0 {
		return "."
	}
	if dir := strings.TrimRight(base[:i], "/"); dir != "" {
		return dir
	}
	return "/"
}
