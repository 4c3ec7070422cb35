package sed

import (
	"bytes"
	"errors"
)

var errNoExec = errors.New("can't run commands here")

// execute is e: the output of a command, before anything else; without a command, the pattern space
// is one.
func (x *execution) execute(line []byte) error {
	if len(line) == 0 {
		return x.evaluate()
	}
	out, err := x.shell(line)
	x.out.text(out, x.in.delim)
	return err
}

// evaluate replaces the pattern space by what it prints as a command.
func (x *execution) evaluate() error {
	out, err := x.shell(x.space)
	x.space = append(x.space[:0], bytes.TrimSuffix(out, []byte{x.in.delim})...)
	return err
}

func (x *execution) shell(line []byte) ([]byte, error) {
	if x.env.Exec == nil {
		return nil, errNoExec
	}
	var out bytes.Buffer
	env := x.env.Child()
	env.Stdout = &out
	x.env.Exec(env, []string{"sh", "-c", string(line)})
	return out.Bytes(), nil
}
