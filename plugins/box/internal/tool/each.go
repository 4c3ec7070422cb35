package tool

import "io"

// Each calls f with every named input in turn: standard input for "-", or if names is empty. What
// can't be opened or read is reported and left out. Each returns the exit status so far: 1 if
// anything was reported, else 0.
func (e *Env) Each(names []string, f func(name string, r io.Reader) error) int {
	if len(names) == 0 {
		names = []string{"-"}
	}
	status := 0
	for _, name := range names {
		if e.Stopped() {
			break
		}
		if err := e.each(name, f); err != nil {
			e.FileError(name, err)
			status = 1
		}
	}
	return status
}

func (e *Env) each(name string, f func(name string, r io.Reader) error) error {
	r, err := e.Input(name)
	if err != nil {
		return err
	}
	defer r.Close()
	return f(name, r)
}

// EachLine is Each by lines that end with delim. f gets each line without its end; it is not to be
// kept.
func (e *Env) EachLine(names []string, delim byte, f func(line []byte)) int {
	return e.Each(names, func(_ string, r io.Reader) error {
		lines := NewLines(r, delim)
		for !e.Stopped() {
			line, ok := lines.Next()
			if !ok {
				break
			}
			f(line)
		}
		return lines.Err()
	})
}
