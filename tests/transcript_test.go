package tests

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// transcript is a verb: it talks to "terrarium serve --stdio" as a file says,
// line by line:
//
//	--> LINE      send it, with the ids that "$t1" and the like stand for
//	==> JSON      send it again and again until the answer below matches
//	<-- JSON      the answer with that id must match (see matchJSON)
//	eof           close the server's input
//	signal NAME   send the server a signal
//	exit N        the server must exit with that status
//
// Answers may come in any order. At its end a transcript closes the server's
// input, and it must exit with 0. "#" begins a comment.
func transcript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: transcript FILE ARG…")
	}
	s := startServer(ts, args[1:])
	for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		if err := s.step(line); err != nil {
			ts.Fatalf("%s:%d: %s: %v\n%s", args[0], i+1, line, err, &s.stderr)
		}
	}
	if !s.exited {
		if err := errors.Join(s.step("eof"), s.step("exit 0")); err != nil {
			ts.Fatalf("%s: at the end: %v\n%s", args[0], err, &s.stderr)
		}
	}
}

// A server is a "terrarium serve --stdio" that a transcript talks to.
type server struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr syncBuffer
	exited bool

	names   map[string]string // "$t1" to the id it stands for
	again   string            // the line of ==>
	lines   chan []byte       // closed at the end of its output
	unasked [][]byte          // answers that nobody has looked for yet
}

func startServer(ts *testscript.TestScript, args []string) *server {
	s := &server{
		cmd:   command(ts, "terrarium", append([]string{"serve", "--stdio"}, args...)...),
		names: make(map[string]string),
		lines: make(chan []byte),
	}
	stdin, err := s.cmd.StdinPipe()
	ts.Check(err)
	stdout, err := s.cmd.StdoutPipe()
	ts.Check(err)
	s.stdin, s.cmd.Stderr = stdin, &s.stderr
	ts.Check(s.cmd.Start())
	done := make(chan struct{})
	go func() { // ends with the server, which the end of the test kills
		defer close(s.lines)
		for r := bufio.NewReader(stdout); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			select {
			case s.lines <- line:
			case <-done:
			}
		}
	}()
	ts.Defer(func() {
		close(done)
		if !s.exited {
			s.cmd.Process.Kill()
			s.cmd.Wait()
		}
	})
	return s
}

var terminalName = regexp.MustCompile(`\$t[0-9]+`)

func (s *server) step(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	if s.again != "" && verb != "<--" {
		return errors.New("==> wants an answer")
	}
	switch verb {
	case "", "#":
		return nil
	case "-->":
		return s.send(rest)
	case "==>":
		s.again = rest
		return nil
	case "<--":
		return s.receive(rest)
	case "eof":
		return s.stdin.Close()
	case "signal":
		return s.cmd.Process.Signal(signals[rest])
	case "exit":
		return s.exit(rest)
	}
	return errors.New("no such verb")
}

func (s *server) send(line string) error {
	line = terminalName.ReplaceAllStringFunc(line, func(name string) string { return s.names[name] })
	_, err := io.WriteString(s.stdin, line+"\n")
	return err
}

func (s *server) receive(want string) error {
	again := s.again
	s.again = ""
	if again == "" {
		got, err := s.answer(want)
		if err != nil {
			return err
		}
		return matchJSON(got, []byte(want), s.names)
	}
	for deadline := time.Now().Add(patience); ; {
		if err := s.send(again); err != nil {
			return err
		}
		got, err := s.answer(want)
		if err != nil {
			return err
		}
		if err = matchJSON(got, []byte(want), s.names); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// answer waits for the answer that has the id of want.
func (s *server) answer(want string) ([]byte, error) {
	id := func(line []byte) any {
		var m struct{ ID any }
		json.Unmarshal(line, &m) // what is not JSON has no id
		return m.ID
	}
	wanted := id([]byte(want))
	for i, line := range s.unasked {
		if id(line) == wanted {
			s.unasked = append(s.unasked[:i], s.unasked[i+1:]...)
			return line, nil
		}
	}
	late := time.After(patience)
	for {
		select {
		case line, ok := <-s.lines:
			switch {
			case !ok:
				return nil, errors.New("the server has gone")
			case id(line) == wanted:
				return line, nil
			}
			s.unasked = append(s.unasked, line)
		case <-late:
			return nil, fmt.Errorf("no answer after %v", patience)
		}
	}
}

// exit reads the server's output to its end: there must be nothing in it that
// the transcript has not looked for.
func (s *server) exit(status string) error {
	late := time.After(patience)
	for more := true; more; {
		select {
		case line, ok := <-s.lines:
			if more = ok; ok {
				s.unasked = append(s.unasked, line)
			}
		case <-late:
			return fmt.Errorf("it lives after %v", patience)
		}
	}
	s.exited = true
	s.cmd.Wait() // its error is the status
	if got := strconv.Itoa(s.cmd.ProcessState.ExitCode()); got != status {
		return fmt.Errorf("got exit status %s, want %s", got, status)
	}
	if len(s.unasked) > 0 {
		return fmt.Errorf("got an answer that nobody has looked for: %s", s.unasked[0])
	}
	return nil
}
