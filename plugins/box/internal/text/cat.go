package text

import (
	"bytes"
	"io"
	"io/fs"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const catOptions = "A,show-all b,number-nonblank e E,show-ends n,number s,squeeze-blank t T,show-tabs u v,show-nonprinting"

// catState is what goes on from one file to the next.
type catState struct {
	numbers, nonblank, ends, tabs, control, squeeze bool

	line    int  // number of the last numbered line
	blank   bool // whether the last line was empty
	midLine bool // whether the last line had no end
}

func cat(env *tool.Env, args []string) int {
	opts, status := env.Options(args, catOptions)
	if opts == nil {
		return status
	}
	var s catState
	for _, o := range opts.Options {
		switch o.Name {
		case "A":
			s.control, s.ends, s.tabs = true, true, true
		case "b":
			s.nonblank, s.numbers = true, true
		case "e":
			s.control, s.ends = true, true
		case "E":
			s.ends = true
		case "n":
			s.numbers = true
		case "s":
			s.squeeze = true
		case "t":
			s.control, s.tabs = true, true
		case "T":
			s.tabs = true
		case "v":
			s.control = true
		}
	}
	itself := 0
	status = env.Each(opts.Operands, func(name string, r io.Reader) error {
		if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
			if fi, err := f.Stat(); err == nil && fi.Size() > 0 && env.IsOutput(fi) {
				env.Errorf("%s: input file is output file", tool.QuoteName(name))
				itself = 1
				return nil
			}
		}
		if s == (catState{}) {
			return copyAll(env, r)
		}
		return s.copy(env, r)
	})
	return max(status, itself)
}

// copyAll shows each piece as soon as it is there, as cat's own buffers do.
func copyAll(env *tool.Env, r io.Reader) error {
	p := make([]byte, 64<<10)
	for !env.Stopped() {
		n, err := r.Read(p)
		env.Out.Write(p[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *catState) copy(env *tool.Env, r io.Reader) error {
	lines := tool.NewLines(r, '\n')
	for !env.Stopped() {
		line, ok := lines.Next()
		if !ok {
			break
		}
		empty := len(line) == 0 && !s.midLine
		if s.squeeze && empty && s.blank {
			continue
		}
		s.blank = empty
		if s.numbers && !s.midLine && !(s.nonblank && empty) {
			s.line++
			n := strconv.Itoa(s.line)
			env.Out.Write(bytes.Repeat([]byte(" "), max(0, 6-len(n))))
			env.Out.WriteString(n + "\t")
		}
		s.show(env, line, lines.Ended)
		s.midLine = !lines.Ended
		if !lines.Ended {
			break
		}
		if s.ends {
			env.Out.WriteByte('$')
		}
		env.Out.WriteByte('\n')
	}
	return lines.Err()
}

// show writes a line with control characters as ^X, bytes from 128 on as M-x. ended says that a
// newline follows.
func (s *catState) show(env *tool.Env, line []byte, ended bool) {
	if !s.control && !s.tabs {
		if s.ends && ended && len(line) > 0 && line[len(line)-1] == '\r' {
			env.Out.Write(line[:len(line)-1])
			env.Out.WriteString("^M") // only where a line ends with CR LF
			return
		}
		env.Out.Write(line)
		return
	}
	for i, c := range line {
		switch {
		case c == '\t':
			if s.tabs {
				env.Out.WriteString("^I")
				continue
			}
		case s.control:
			if c >= 128 {
				env.Out.WriteString("M-")
				c -= 128
			}
			switch {
			case c == 127:
				env.Out.WriteString("^?")
				continue
			case c < 32:
				env.Out.WriteByte('^')
				c += 64
			}
		case s.ends && ended && c == '\r' && i == len(line)-1:
			env.Out.WriteString("^M")
			continue
		}
		env.Out.WriteByte(c)
	}
}
