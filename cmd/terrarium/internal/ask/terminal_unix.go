//go:build linux || darwin

package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/paint"
)

// readTime is how often the terminal is looked at for an answer. Not every system can wait for a
// terminal and for something else.
const readTime = 50 * time.Millisecond

// maxErased is by how many rows the cursor goes up. More than any terminal shows, and some count no
// further than 64 Ki.
const maxErased = 10000

// A Terminal is a Way to the person at the terminal that we belong to (/dev/tty). It asks one
// question at a time, in order. The person answers with a line, so that keys which were meant for
// something else are none.
//
// Nobody is there while we are in the background, or while another program reads keys one by one,
// as an editor does: it would take the half of them, and the question would spoil what it shows.
type Terminal struct {
	// Plain has no question removed that is withdrawn, for terminals that can do nothing.
	Plain bool
	turn  chan struct{} // holds a value while a question shows
}

var _ Way = (*Terminal)(nil)

// NewTerminal returns our terminal. It is looked for at each question.
func NewTerminal(plain bool) *Terminal { return &Terminal{Plain: plain, turn: make(chan struct{}, 1)} }

// Ask implements Way.
func (t *Terminal) Ask(ctx context.Context, q *Question) (answer Answer, err error) {
	err = t.put(ctx, screenText(q), q.Title(), func(line string) (more string, ok bool) {
		if answer, ok = parseLine(line, q); ok {
			return "", true
		}
		if wantsWhole(line) {
			return indent(q.Whole()) + prompt(q), false
		}
		return prompt(q), false
	})
	if err != nil {
		return Answer{}, err
	}
	return answer, nil
}

// Choose asks for one of several options by its number, and returns its index. Errors are those of
// Ask. All of the text must be safe to show. title names the question in a line.
func (t *Terminal) Choose(ctx context.Context, text, title string, options []string) (chosen int, err error) {
	var menu strings.Builder
	for i, option := range options {
		fmt.Fprintf(&menu, "  %d %s\n", i+1, option)
	}
	menu.WriteString("the number of an answer: ")
	err = t.put(ctx, text+menu.String(), title, func(line string) (more string, ok bool) {
		n, err := strconv.Atoi(strings.TrimSpace(line))
		chosen = n - 1
		return menu.String(), err == nil && 1 <= n && n <= len(options)
	})
	return chosen, err
}

// put shows text, and has take read the lines that are typed until it reports true. Before that it
// returns what is to be shown next. title names the question if it is withdrawn.
func (t *Terminal) put(ctx context.Context, text, title string, take func(line string) (more string, ok bool)) error {
	tty, err := openTTY()
	if err != nil {
		return ErrNobody
	}
	tty.close() // it may be another's when it is our turn
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if tty, err = openTTY(); err != nil {
		return ErrNobody
	}
	defer tty.close()
	tty.forget() // what was typed before was no answer
	rows := tty.rows(text)
	if err := tty.write(ctx, strings.Join(rows, "\n")); err != nil {
		return err
	}
	for shown := len(rows); ; shown++ {
		line, err := tty.readLine(ctx)
		if ctx.Err() != nil {
			t.withdraw(tty, title, shown)
			return ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			return errors.New("the person has left without an answer")
		}
		if err != nil {
			return err
		}
		more, ok := take(line)
		if ok {
			return nil
		}
		again := tty.rows(more)
		if err := tty.write(ctx, strings.Join(again, "\n")); err != nil {
			return err
		}
		shown += len(again) - 1
	}
}

// withdraw removes a question that nobody needs to answer any more.
func (t *Terminal) withdraw(tty tty, title string, shown int) {
	// A terminal that is stopped takes nothing.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	tty.forget()
	erase := "\n"
	if !t.Plain {
		// These are CUU and ED, ECMA-48 8.3.22 and 8.3.39.
		erase = fmt.Sprintf("\r\x1b[%dA\x1b[J", min(max(1, shown-1), maxErased))
	}
	_ = tty.write(ctx, erase+"terrarium: no answer is needed any more: "+title+"\n")
}

// screenText is a question as a person reads it.
func screenText(q *Question) string {
	var b strings.Builder
	b.WriteString("\nterrarium: an agent wants to run\n")
	b.WriteString(indent(q.Text()))
	if q.CanAlways {
		fmt.Fprintf(&b, "  \"a\" allows from now on: %s\n", strings.Join(q.AlwaysText(), ", "))
	}
	b.WriteString(prompt(q))
	return b.String()
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// prompt names the answers, in a row of 74 cells at most.
func prompt(q *Question) string {
	text := "y yes, "
	if q.CanSession() {
		text += "s this line all session, "
	}
	if q.CanAlways {
		text += "a always, "
	}
	if q.IsCut() {
		text += "v show all, "
	}
	return text + "n no, or n and why: "
}

// wantsWhole reports whether a person has typed that all of the command is to be shown.
func wantsWhole(line string) bool { return strings.EqualFold(strings.TrimSpace(line), "v") }

// parseLine returns what a person has typed. ok is false if it is no answer.
func parseLine(line string, q *Question) (a Answer, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(word) {
	case "n", "no":
		return Answer{Choice: No, Message: rest}, true
	case "y", "yes":
		return Answer{Choice: Once}, rest == ""
	case "s", "session":
		return Answer{Choice: Session}, rest == "" && q.CanSession()
	case "a", "always":
		return Answer{Choice: Always}, rest == "" && q.CanAlways
	}
	return Answer{}, false
}

// A tty is our terminal, opened so that nothing waits for it.
type tty int

// openTTY fails where no person could be asked now.
func openTTY() (tty, error) {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	t := tty(fd)
	state, err := unix.IoctlGetTermios(fd, getTermios)
	if ours, gone := t.isOurs(); err != nil || gone != nil || !ours || state.Lflag&unix.ICANON == 0 {
		t.close()
		return 0, ErrNobody
	}
	return t, nil
}

func (t tty) close() { unix.Close(int(t)) }

// isOurs reports whether we are in the foreground. In the background a read would stop us. The
// error is that it is no longer our terminal, as after a hangup.
func (t tty) isOurs() (bool, error) {
	group, err := unix.IoctlGetInt(int(t), unix.TIOCGPGRP)
	return group == unix.Getpgrp(), err
}

// continued begins a row that goes on with the line above, so that no long line of an agent's has a
// row that looks like one of ours.
const continued = "    "

// rows breaks text where the terminal would, so that it is known how many rows it takes.
func (t tty) rows(text string) []string {
	cols := 80
	if size, err := unix.IoctlGetWinsize(int(t), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		cols = int(size.Col)
	}
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		for i, row := range paint.Wrap(line, max(20, cols)-1-len(continued)) {
			if i > 0 {
				row = continued + row
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// write writes all of text, or fails when ctx has ended.
func (t tty) write(ctx context.Context, text string) error {
	for len(text) > 0 {
		n, err := unix.Write(int(t), []byte(text))
		text = text[max(0, n):]
		switch {
		case err == nil:
		case !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR):
			return err
		case !pause(ctx):
			return ctx.Err()
		}
	}
	return nil
}

// readLine returns what a person types up to Enter, or io.EOF when that is ^D or nobody is left.
func (t tty) readLine(ctx context.Context) (string, error) {
	var line []byte
	buf := make([]byte, 4<<10) // a terminal's lines are no longer
	for {
		ours, err := t.isOurs()
		if err != nil {
			return "", io.EOF
		}
		if ours {
			n, err := unix.Read(int(t), buf)
			switch {
			case n > 0:
				line = append(line, buf[:n]...)
				if i := strings.IndexByte(string(line), '\n'); i >= 0 {
					return string(line[:i]), nil
				}
				if len(line) > len(buf) {
					line = line[:0]
				}
				continue
			case err == nil:
				return "", io.EOF
			case !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR):
				return "", err
			}
		}
		if !pause(ctx) {
			return "", ctx.Err()
		}
	}
}

// pause waits a moment, and reports whether ctx is still there.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(readTime):
		return true
	}
}
