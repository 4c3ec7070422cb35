package text

import (
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// envsubst puts the values of variables where they are named.
func envsubst(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "v,variables h V")
	if opts == nil {
		return status
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "h":
			env.Help()
			return 0
		case "V":
			env.Version()
			return 0
		}
	}
	names := opts.Operands
	switch {
	case len(names) > 1:
		env.Errorf("too many arguments")
		return 1
	case len(names) == 0 && opts.Has("v"):
		env.Errorf("missing arguments")
		return 1
	}
	var only map[string]bool
	if len(names) == 1 {
		only = map[string]bool{}
		substitute([]byte(names[0]), io.Discard, func(name string) (string, bool) {
			only[name] = true
			if opts.Has("v") {
				env.Out.WriteString(name + "\n")
			}
			return "", true
		})
	}
	if opts.Has("v") {
		return 0
	}
	return env.Each(nil, func(_ string, r io.Reader) error {
		lines := tool.NewLines(r, '\n')
		for !env.Stopped() {
			line, ok := lines.Next()
			if !ok {
				break
			}
			substitute(line, env.Out, func(name string) (string, bool) {
				return env.Getenv(name), only == nil || only[name]
			})
			if lines.Ended {
				env.Out.WriteByte('\n')
			}
		}
		return lines.Err()
	})
}

// substitute writes text with the value of each $NAME and ${NAME} that has one.
func substitute(text []byte, out io.Writer, value func(name string) (string, bool)) {
	written := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '$' {
			continue
		}
		start := i + 1
		braces := start < len(text) && text[start] == '{'
		if braces {
			start++
		}
		end := start
		for end < len(text) && isName(text[end], end > start) {
			end++
		}
		after := end
		if braces {
			if after == len(text) || text[after] != '}' {
				continue
			}
			after++
		}
		if end == start {
			continue
		}
		if v, ok := value(string(text[start:end])); ok {
			out.Write(text[written:i])
			io.WriteString(out, v)
			written = after
		}
		i = after - 1
	}
	out.Write(text[written:])
}

// isName reports whether c may stand in a variable's name, of which it is not the first.
func isName(c byte, rest bool) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || rest && '0' <= c && c <= '9'
}
