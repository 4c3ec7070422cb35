package text

import (
	"bytes"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A span says which part of an input head and tail show.
type span struct {
	count   int64 // lines or bytes
	bytes   bool
	other   bool // head: all but the last; tail: from number count on
	headers headers
	zero    bool
	follow  bool
}

type headers byte

const (
	headersAuto headers = iota
	headersNever
	headersAlways
)

// delim is what ends a line.
func (s *span) delim() byte {
	if s.zero {
		return 0
	}
	return '\n'
}

// set reads the argument of -n or -c; sign is what turns s.other on.
func (s *span) set(env *tool.Env, arg string, inBytes bool, sign string) bool {
	unit := "lines"
	if inBytes {
		unit = "bytes"
	}
	s.bytes = inBytes
	s.other = strings.HasPrefix(arg, sign) || s.other && sign == "+" // tail does not forget it
	arg = strings.TrimPrefix(arg, "-")
	n, ok := tool.ParseCount(strings.TrimPrefix(arg, "+"))
	if !ok {
		env.Errorf("invalid number of %s: %s", unit, env.Quote(arg))
		return false
	}
	s.count = n
	return true
}

// header writes "==> name <==" before the output of a file.
func (s *span) header(env *tool.Env, name string, first *bool, files int) {
	if s.headers == headersNever || s.headers == headersAuto && files < 2 {
		return
	}
	if !*first {
		env.Out.WriteByte('\n')
	}
	*first = false
	if name == "-" {
		name = "standard input"
	}
	env.Out.WriteString("==> " + name + " <==\n")
}

// readError is the message of head and tail for an input that can't be read.
func readError(env *tool.Env, name string, err error) {
	if name == "-" {
		name = "standard input"
	}
	env.Errorf("error reading %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
}

// openError is the one for an input that can't be opened.
func openError(env *tool.Env, name string, err error) {
	env.Errorf("cannot open %s for reading: %s", tool.QuoteAlways(name), tool.Strerror(err))
}

// tailOf reads r to its end and returns its last n bytes or lines.
func tailOf(r io.Reader, s *span) ([]byte, error) {
	const enough = 1 << 20
	var kept []byte
	most := enough // to keep, or see what can go
	p := make([]byte, 64<<10)
	for {
		n, err := r.Read(p)
		if len(kept)+n > cap(kept) {
			if err := tool.Keep(2 * len(kept)); err != nil {
				return nil, err
			}
		}
		kept = append(kept, p[:n]...)
		if len(kept) > most {
			kept = bytes.Clone(lastOf(kept, s))
			most = max(enough, 2*len(kept)) // so that the work stays linear
		}
		if err == io.EOF {
			return lastOf(kept, s), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// lastOf returns the last s.count bytes or lines of p.
func lastOf(p []byte, s *span) []byte {
	if s.bytes {
		return p[max(0, int64(len(p))-s.count):]
	}
	if s.count == 0 {
		return p[len(p):]
	}
	end := len(p)
	if end > 0 && p[end-1] == s.delim() {
		end--
	}
	for n := s.count; n > 0; n-- {
		i := bytes.LastIndexByte(p[:end], s.delim())
		if i < 0 {
			return p
		}
		end = i
	}
	return p[end+1:]
}
