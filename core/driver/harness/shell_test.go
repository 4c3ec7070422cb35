package harness_test

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A host has one shell, in memory, that is known by what it does with a line:
//
//	job D        a job that takes so long
//	builtin D    the shell itself does it
//	chatter D    a job in the background that prints all the time
//	more N       a command that goes on for so many lines
//	ask          a job that reads a line
//	mute         it prints nothing, not even what is typed
//	exit
//
// It echoes what is typed and prints a prompt.
type host struct {
	name  string        // of the shell
	blind bool          // Reading is not known
	count bool          // Woken is known
	plain bool          // it is no tty of the harness
	marks bool          // it sets those of OSC 133
	stuck bool          // it never starts to read
	late  time.Duration // after which what is typed reaches it
	lag   time.Duration // after which what it prints is read
	raw   bool          // and what has the terminal is not the shell

	shell *shell
}

// Resolve implements driver.Host.
func (h *host) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	if c.Command != h.name {
		return core.Exec{}, &core.HostError{Reason: "not_found", Message: c.Command + ": not found"}
	}
	return core.Exec{Path: "/" + c.Command, Argv: append([]string{c.Command}, c.Args...)}, nil
}

// Start implements driver.Host.
func (h *host) Start(_ context.Context, e core.Exec) (driver.Process, error) {
	h.shell = &shell{
		host: h, exec: e, foreground: true, lines: make(chan string, 100), output: make(chan string, 100), ended: make(chan struct{}),
	}
	go h.shell.run() // ends with the shell
	if h.plain {
		return struct{ driver.Process }{h.shell}, nil
	}
	return h.shell, nil
}

type shell struct {
	host   *host
	exec   core.Exec
	lines  chan string
	output chan string
	ended  chan struct{} // closed when it has exited
	once   sync.Once

	mu                  sync.Mutex // guards what follows
	foreground, reading bool
	woken               uint64
	written             []byte
}

func (s *shell) set(foreground, reading bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foreground, s.reading = foreground, reading
}

func (s *shell) run() {
	if s.host.stuck {
		<-s.ended
		return
	}
	mute := false
	s.sleep(50 * time.Millisecond) // it starts
	for first := true; ; first = false {
		if !mute {
			if s.host.marks && !first {
				s.print("\x1b]133;D;0\a")
			}
			if s.host.marks {
				s.print("\x1b]133;A\a$ \x1b]133;B\a")
			} else {
				s.print("$ ")
			}
		}
		line, ok := s.read(true)
		if !ok {
			return
		}
		if !mute {
			s.print(line + "\r\n")
		}
		verb, argument, _ := strings.Cut(line, " ")
		d, _ := time.ParseDuration(argument)
		switch verb {
		case "job":
			s.begin()
			s.set(false, false)
			s.sleep(d)
		case "builtin":
			s.begin()
			s.sleep(d)
		case "chatter":
			go func() { // ends with d
				for range d / (10 * time.Millisecond) {
					s.sleep(10 * time.Millisecond)
					s.print(".")
				}
			}()
		case "more":
			n, _ := strconv.Atoi(argument)
			for range n {
				if s.host.marks {
					s.print("\x1b]133;P;k=s\a")
				}
				s.print("> ")
				s.read(true)
			}
			s.begin()
		case "ask":
			s.begin()
			s.read(false)
		case "mute":
			mute = true
		case "exit":
			s.end()
			return
		}
	}
}

// begin says that a command is whole, and that it runs.
func (s *shell) begin() {
	if s.host.marks {
		s.print("\x1b]133;C\a")
	}
}

// read reads a line, in the shell itself or in a job.
func (s *shell) read(own bool) (line string, ok bool) {
	s.set(own, own)
	select {
	case line = <-s.lines:
		s.set(own, false)
		s.mu.Lock()
		s.woken++
		s.mu.Unlock()
		return line, true
	case <-s.ended:
		return "", false
	}
}

func (s *shell) print(text string) {
	select {
	case s.output <- text:
	case <-s.ended:
	}
}

func (s *shell) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.ended:
	}
}

func (s *shell) end() { s.once.Do(func() { close(s.ended) }) }

func (s *shell) Raw() bool { return s.host.raw }

func (s *shell) Foreground() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.foreground && !s.host.raw
}

func (s *shell) Reading() (reading, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reading, !s.host.blind
}

func (s *shell) Woken() (times uint64, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.woken, s.host.count
}

func (s *shell) Output(sink func(uint8, []byte)) error {
	for {
		select {
		case text := <-s.output:
			s.sleep(s.host.lag)
			sink(1, []byte(text))
		case <-s.ended:
			return nil
		}
	}
}

func (s *shell) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.written = append(s.written, p...)
	s.mu.Unlock()
	select {
	case <-s.ended:
		return 0, io.ErrClosedPipe
	default:
	}
	arrive := func() {
		for line := range strings.Lines(string(p)) {
			s.lines <- strings.TrimRight(line, "\r\n")
		}
	}
	if s.host.late > 0 {
		p = bytes.Clone(p)
		time.AfterFunc(s.host.late, arrive)
		return len(p), nil
	}
	arrive()
	return len(p), nil
}

func (s *shell) typed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.written)
}

func (s *shell) CloseInput() error     { return nil }
func (s *shell) Resize(int, int) error { return nil }

// Signal implements driver.Process: as interactive shells, it ignores SIGTERM.
func (s *shell) Signal(name string) error {
	if name == "SIGKILL" {
		s.end()
	}
	return nil
}

func (s *shell) Wait() (core.Exit, error) {
	<-s.ended
	return core.Exit{}, nil
}

func (s *shell) Close() error {
	s.end()
	return nil
}
