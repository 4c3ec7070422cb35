package text

import (
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const tailOptions = "c,bytes= f,follow? F n,lines= q,quiet,silent v,verbose z,zero-terminated s,sleep-interval= pid= retry max-unchanged-stats="

func tail(env *tool.Env, args []string) int {
	s := span{count: 10}
	args, bad := s.obsoleteTail(args)
	if bad != "" {
		env.Errorf("option used in invalid context -- %s", bad)
		return 1
	}
	opts, status := env.Options(args, tailOptions+digitOptions)
	if opts == nil {
		return status
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
			env.Errorf("option used in invalid context -- %s", o.Name)
			return 1
		case "c", "n":
			if !s.set(env, o.Arg, o.Name == "c", "+") {
				return 1
			}
		case "f", "F":
			s.follow = true
		case "q":
			s.headers = headersNever
		case "v":
			s.headers = headersAlways
		case "z":
			s.zero = true
		}
	}
	if s.count == 0 && !s.other && !s.follow {
		return status
	}
	files := opts.Operands
	if len(files) == 0 {
		files = []string{"-"}
	}
	first := true
	var open []io.ReadCloser
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
		if err := s.tail(env, r); err != nil {
			readError(env, name, err)
			status = 1
		}
		if s.follow {
			open = append(open, r)
			continue
		}
		r.Close()
	}
	switch {
	case len(open) > 0:
		follow(env, open)
	case s.follow:
		env.Errorf("no files remaining")
	}
	return status
}

// obsoleteTail takes "+NUM[bcl][f]" and "-NUM[bcl][f]" as the first argument, if at most one file
// follows.
func (s *span) obsoleteTail(args []string) (rest []string, bad string) {
	if len(args) < 2 || len(args[1]) < 2 || args[1][0] != '-' && args[1][0] != '+' || args[1][1] < '0' || args[1][1] > '9' {
		return args, ""
	}
	a, i := args[1], 1
	for i < len(a) && '0' <= a[i] && a[i] <= '9' {
		i++
	}
	t := *s
	t.count, _ = tool.ParseCount(a[1:i])
	t.other = a[0] == '+'
	if i < len(a) && (a[i] == 'b' || a[i] == 'c' || a[i] == 'l') {
		t.bytes = a[i] != 'l'
		if a[i] == 'b' {
			t.count *= 512
		}
		i++
	}
	if i < len(a) && a[i] == 'f' {
		t.follow = true
		i++
	}
	switch {
	case i < len(a) && a[0] == '+', len(args) > 3 && a[0] == '+':
		return args, "" // a file's name
	case i < len(a), len(args) > 3 && args[2] != "--":
		return nil, a[1:2]
	}
	*s = t
	return append(args[:1:1], args[2:]...), ""
}

func (s *span) tail(env *tool.Env, r io.Reader) error {
	if s.other {
		return s.from(env, r)
	}
	// A file need not be read from its beginning.
	if k, ok := r.(io.Seeker); ok && s.bytes {
		if end, err := k.Seek(0, io.SeekEnd); err == nil {
			k.Seek(max(0, end-s.count), io.SeekStart)
		}
	}
	p, err := tailOf(r, s)
	env.Out.Write(p)
	return err
}

// from writes everything from line or byte number s.count on, counted from 1.
func (s *span) from(env *tool.Env, r io.Reader) error {
	skip := max(0, s.count-1)
	if s.bytes {
		if _, err := io.CopyN(io.Discard, r, skip); err != nil && err != io.EOF {
			return err
		}
		return copyAll(env, r)
	}
	lines := tool.NewLines(r, s.delim())
	for ; !env.Stopped(); skip-- {
		line, ok := lines.Next()
		if !ok {
			break
		}
		if skip > 0 {
			continue
		}
		env.Out.Write(line)
		if lines.Ended {
			env.Out.WriteByte(s.delim())
		}
	}
	return lines.Err()
}
