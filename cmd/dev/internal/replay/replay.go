// Package replay steps what "terrarium --trace FILE" wrote, or any script of
// package coretest, on the machine as it is now.
package replay

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core/coretest"
)

// Run steps the trace in file and writes every input, with the time that had
// passed, and what the machine makes of it. The error is about the first line
// where that differs from what the trace has. file may also be a txtar archive
// that holds the trace as "script".
func Run(file string, w io.Writer) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	err = step(string(data), out)
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// A stepper is a replay under way.
type stepper struct {
	w       *bufio.Writer
	machine *coretest.Machine
	changes bool // the trace has OutputChanged
	passed  time.Duration
	pending []string // observed, not yet found in the trace
	last    string   // verb of the last input
}

func step(data string, w *bufio.Writer) error {
	script, number := findScript(strings.Split(strings.TrimSuffix(data, "\n"), "\n"))
	s := stepper{w: w, machine: coretest.NewMachine(coretest.OpenNative)}
	for _, text := range script {
		s.changes = s.changes || strings.HasPrefix(text, "< output_changed ")
	}
	for _, text := range script {
		number++
		if err := s.line(text); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return s.matched()
}

// findScript returns the lines of a trace, or of the file "script" in a txtar
// archive, and the number of the line before them.
func findScript(lines []string) (script []string, before int) {
	for i, text := range lines {
		isMarker := strings.HasPrefix(text, "-- ") && strings.HasSuffix(text, " --")
		switch {
		case text == "-- script --":
			before = i + 1
		case isMarker && before > 0:
			return lines[before:i], before
		}
	}
	return lines[before:], before
}

func (s *stepper) line(text string) error {
	switch {
	case text == "" || strings.HasPrefix(text, "#"):
		return nil
	case strings.HasPrefix(text, "<"):
		return s.match(text)
	}
	in, err := coretest.ParseLine(text)
	if err != nil {
		return err
	}
	// A driver that is closing closes all sessions before it asks for the
	// effects of the first.
	if in.Verb != s.last || in.Verb != "close_session" {
		if err := s.matched(); err != nil {
			return err
		}
	}
	s.last = in.Verb
	if in.Verb == "clock" || in.Verb == "advance" {
		passed, _ := time.ParseDuration(in.Word(0)) // Do says what is wrong with it
		s.passed += passed
	}
	if in.Verb != "clock" {
		fmt.Fprintf(s.w, "%14v  %s\n", s.passed, text)
	}
	observed, err := s.machine.Do(in)
	if err != nil {
		return err
	}
	for _, o := range observed {
		// A driver with goroutines takes these past the registry, and so past the trace.
		if s.changes || !strings.HasPrefix(o, "< output_changed ") {
			fmt.Fprintf(s.w, "%14s  %s\n", "", o)
			s.pending = append(s.pending, o)
		}
	}
	return nil
}

// match compares the next observation with that of the trace.
func (s *stepper) match(want string) error {
	if len(s.pending) == 0 {
		return fmt.Errorf("got nothing, want %s", want)
	}
	got := s.pending[0]
	s.pending = s.pending[1:]
	if got != want {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	return nil
}

// matched says whether the trace had everything that was observed.
func (s *stepper) matched() error {
	if len(s.pending) > 0 {
		return fmt.Errorf("got %s before it, want nothing", s.pending[0])
	}
	return nil
}
