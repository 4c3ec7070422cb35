package tests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// runConsole is a verb: it runs "terrarium ARG…" as a person does, at a
// terminal of 80 columns and 24 rows, with a shell around it that says how the
// command exited and what it has left the terminal like. What the person sees
// and types is in a file:
//
//	expect REGEXP     wait until it shows, after what was expected before
//	type KEYS         type them; quoted as in Go
//	resize COLS ROWS  change the terminal's size
//	signal NAME       send terrarium a signal
//	exit N            wait until terrarium has exited, with that status and with
//	                  the terminal as it was
func runConsole(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: console FILE ARG…")
	}
	c := startConsole(ts, args[1:])
	for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		if err := c.step(line); err != nil {
			ts.Fatalf("%s:%d: %s: %v\nthe terminal shows:\n%q", args[0], i+1, line, err, c.seen)
		}
	}
}

// A console is a terminal that a test sits at.
type console struct {
	tty    *os.File
	output chan []byte // closed at its end
	seen   string      // since the last match
	before string      // the terminal's settings
	pid    int         // of terrarium
}

// around is the shell around the command. It outlives a ^C or ^\ that is meant
// for the command.
const around = `trap : INT QUIT
sh -c 'echo "[$$ $(stty -g)]"; exec terrarium "$@"' sh "$@"
echo "[exit $? $(stty -g)]"`

func startConsole(ts *testscript.TestScript, args []string) *console {
	c, leave, err := sitAtConsole(command(ts, "sh", append([]string{"-c", around, "sh"}, args...)...))
	ts.Check(err)
	ts.Defer(leave)
	return c
}

// sitAtConsole starts cmd, which is a shell that runs around, at a terminal. Who sits there leaves
// it in the end, and nothing is left of cmd then.
func sitAtConsole(cmd *exec.Cmd) (_ *console, leave func(), err error) {
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		return nil, nil, err
	}
	c := &console{tty: tty, output: make(chan []byte)}
	done := make(chan struct{})
	go readTerminal(tty, c.output, done) // ends when the terminal is closed, below
	leave = func() {
		close(done)
		tty.Close()
		cmd.Process.Kill()
		cmd.Wait()
	}
	found, err := c.expect(`\[(\d+) (\S+)\]\r\n`)
	if err != nil {
		leave()
		return nil, nil, err
	}
	c.pid, _ = strconv.Atoi(found[1])
	c.before = found[2]
	return c, leave, nil
}

// readTerminal sends what is written to a terminal, until that is closed or nobody has it open any
// longer, and closes output. Once done is closed, nobody takes what it reads.
func readTerminal(tty *os.File, output chan<- []byte, done <-chan struct{}) {
	defer close(output)
	hungUp := false
	for {
		buf := make([]byte, 4<<10)
		n, err := tty.Read(buf)
		if errors.Is(err, syscall.EIO) && !hungUp {
			// Linux looks for output first, and for who has it open second. What was written in
			// between is still there: the end is when it says so twice.
			hungUp = true
			continue
		}
		if err != nil {
			return
		}
		hungUp = false
		select {
		case output <- buf[:n]:
		case <-done:
		}
	}
}

func (c *console) step(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "", "#":
		return nil
	case "expect":
		_, err := c.expect(rest)
		return err
	case "type":
		keys, err := strconv.Unquote(rest)
		if err != nil {
			return err
		}
		_, err = c.tty.WriteString(keys)
		return err
	case "resize":
		var size pty.Winsize
		if _, err := fmt.Sscan(rest, &size.Cols, &size.Rows); err != nil {
			return err
		}
		return pty.Setsize(c.tty, &size)
	case "signal":
		return syscall.Kill(c.pid, signals[rest])
	case "exit":
		found, err := c.expect(`\[exit (\d+) (\S+)\]\r\n`)
		switch {
		case err != nil:
			return err
		case found[1] != rest:
			return fmt.Errorf("got exit status %s, want %s", found[1], rest)
		case found[2] != c.before:
			return fmt.Errorf("got terminal settings %s, want %s", found[2], c.before)
		}
		return nil
	}
	return errors.New("no such verb")
}

// expect waits until pattern matches what shows, and forgets it up to there.
func (c *console) expect(pattern string) ([]string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	for late := time.After(patience); ; {
		if at := re.FindStringIndex(c.seen); at != nil {
			found := re.FindStringSubmatch(c.seen)
			c.seen = c.seen[at[1]:]
			return found, nil
		}
		select {
		case p, ok := <-c.output:
			if !ok {
				return nil, errors.New("the terminal has closed")
			}
			c.seen += string(p)
		case <-late:
			return nil, fmt.Errorf("nothing like it after %v", patience)
		}
	}
}
