package text

import (
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const headOptions = "c,bytes= n,lines= q,quiet,silent v,verbose z,zero-terminated"

// digitOptions are those that only the first argument may have.
const digitOptions = " 0 1 2 3 4 5 6 7 8 9"

func head(env *tool.Env, args []string) int {
	s := span{count: 10}
	args, bad := s.obsoleteHead(args)
	if bad != "" {
		return env.UsageError("invalid trailing option -- %s", bad)
	}
	opts, status := env.Options(args, headOptions+digitOptions)
	if opts == nil {
		return status
	}
	for _, o := range opts.Options {
		switch o.Name {
		default:
			return env.UsageError("invalid trailing option -- %s", o.Name)
		case "c", "n":
			if !s.set(env, o.Arg, o.Name == "c", "-") {
				return 1
			}
		case "q":
			s.headers = headersNever
		case "v":
			s.headers = headersAlways
		case "z":
			s.zero = true
		}
	}
	files := opts.Operands
	if len(files) == 0 {
		files = []string{"-"}
	}
	first := true
	for _, name := range files {
		if env.Stopped() {
			break
		}
		r, err := env.Input(name)
		if err != nil {
			openError(env, name, err)
			status = 1
			continue
		}
		s.header(env, name, &first, len(files))
		if err := s.head(env, r); err != nil {
			readError(env, name, err)
			status = 1
		}
		r.Close()
	}
	return status
}

// obsoleteHead takes "-NUM[bkmcqvz…]" as the first argument.
func (s *span) obsoleteHead(args []string) (rest []string, bad string) {
	if len(args) < 2 || len(args[1]) < 2 || args[1][0] != '-' || args[1][1] < '0' || args[1][1] > '9' {
		return args, ""
	}
	a, i := args[1][1:], 0
	for i < len(a) && '0' <= a[i] && a[i] <= '9' {
		i++
	}
	n, unit := a[:i], ""
	for ; i < len(a); i++ {
		switch a[i] {
		case 'c':
			s.bytes, unit = true, ""
		case 'b', 'k', 'm':
			s.bytes, unit = true, a[i:i+1]
		case 'l':
			s.bytes = false
		case 'q':
			s.headers = headersNever
		case 'v':
			s.headers = headersAlways
		case 'z':
			s.zero = true
		default:
			return nil, a[i : i+1]
		}
	}
	s.count, _ = tool.ParseCount(n + unit)
	return append(args[:1:1], args[2:]...), ""
}

func (s *span) head(env *tool.Env, r io.Reader) error {
	switch {
	case s.other:
		return s.allButLast(env, r)
	case s.bytes:
		n, err := io.CopyN(env.Out, r, s.count)
		if err == io.EOF || n == s.count {
			err = nil
		}
		return err
	}
	lines := tool.NewLines(r, s.delim())
	for n := int64(0); n < s.count && !env.Stopped(); n++ {
		line, ok := lines.Next()
		if !ok {
			return lines.Err()
		}
		env.Out.Write(line)
		if lines.Ended {
			env.Out.WriteByte(s.delim())
		}
	}
	if k, ok := r.(io.Seeker); ok && lines.Buffered() > 0 {
		// Whoever reads on starts behind the last line.
		k.Seek(-int64(lines.Buffered()), io.SeekCurrent)
	}
	return nil
}

// allButLast writes all but the last lines or bytes.
func (s *span) allButLast(env *tool.Env, r io.Reader) error {
	p, err := tool.ReadAll(r)
	if err != nil {
		return err
	}
	env.Out.Write(p[:len(p)-len(lastOf(p, s))])
	return nil
}
