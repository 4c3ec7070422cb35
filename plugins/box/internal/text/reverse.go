package text

import (
	"bytes"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// rev writes each line with its characters in reverse.
func rev(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "V h")
	if opts == nil {
		return status
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		r, err := env.Input(name)
		if err != nil {
			env.Errorf("cannot open %s: %s", name, tool.Strerror(err))
			status = 1
			continue
		}
		lines := tool.NewLines(r, '\n')
		for !env.Stopped() {
			line, ok := lines.Next()
			if !ok {
				break
			}
			for len(line) > 0 {
				_, n := utf8.DecodeLastRune(line)
				env.Out.Write(line[len(line)-n:])
				line = line[:len(line)-n]
			}
			if lines.Ended {
				env.Out.WriteByte('\n')
			}
		}
		if err := lines.Err(); err != nil {
			env.Errorf("%s: %s", name, tool.Strerror(err))
			status = 1
		}
		r.Close()
	}
	return status
}

// tac writes the lines of each file, the last one first.
func tac(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "b,before r,regex s,separator=")
	if opts == nil {
		return status
	}
	before, isRegex, separator := false, false, "\n"
	for _, o := range opts.Options {
		switch o.Name {
		case "b":
			before = true
		case "r":
			isRegex = true
		case "s":
			separator = o.Arg
			if separator == "" {
				separator = "\x00"
			}
		}
	}
	find := literalEnds([]byte(separator))
	if isRegex {
		re, err := regex.Compile(separator, regex.Options{Multiline: true})
		if err != nil {
			env.Errorf("%v", err)
			return 1
		}
		find = regexEnds(re)
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		r, err := env.Input(name)
		if err != nil {
			env.Errorf("failed to open %s for reading: %s", tool.QuoteAlways(name), tool.Strerror(err))
			status = 1
			continue
		}
		p, err := tool.ReadAll(r)
		r.Close()
		if err != nil {
			env.Errorf("%s: read error: %s", tool.QuoteName(name), tool.Strerror(err))
			status = 1
			continue
		}
		edges, err := find(p)
		if err != nil {
			env.Errorf("%v", err)
			return 1
		}
		writeReversed(env, p, edges, before)
	}
	return status
}

// sizeOfEdges is what a separator's take, in bytes.
const sizeOfEdges = 16

// literalEnds finds the edges of every separator.
func literalEnds(sep []byte) func(p []byte) ([][2]int, error) {
	return func(p []byte) ([][2]int, error) {
		n := bytes.Count(p, sep)
		if err := tool.Keep(n * sizeOfEdges); err != nil {
			return nil, err
		}
		edges := make([][2]int, 0, n)
		for i := 0; ; {
			k := bytes.Index(p[i:], sep)
			if k < 0 {
				return edges, nil
			}
			edges = append(edges, [2]int{i + k, i + k + len(sep)})
			i += k + len(sep)
		}
	}
}

func regexEnds(re *regex.Regexp) func(p []byte) ([][2]int, error) {
	return func(p []byte) (edges [][2]int, _ error) {
		for i := 0; i < len(p); {
			loc, err := re.FindEdges(p, i)
			if loc == nil || err != nil {
				break
			}
			if loc[1] > loc[0] {
				if err := tool.Keep(2 * sizeOfEdges); err != nil {
					return nil, err
				}
				edges = append(edges, [2]int{loc[0], loc[1]})
			}
			i = max(loc[1], i+1)
		}
		return edges, nil
	}
}

// writeReversed writes the records of p, the last one first, each with the separator that ends it,
// or begins it.
func writeReversed(env *tool.Env, p []byte, edges [][2]int, before bool) {
	end := len(p)
	for i := len(edges) - 1; i >= 0; i-- {
		cut := edges[i][1]
		if before {
			cut = edges[i][0]
		}
		env.Out.Write(p[cut:end])
		end = cut
	}
	env.Out.Write(p[:end])
}
