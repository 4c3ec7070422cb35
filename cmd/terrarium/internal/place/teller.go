package place

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// A teller tells a person what the programs of a Dialer say while they carry a connection. Each
// line begins with whose it is, since a program may say what we would. Who says much is not told in
// full, nor is a person who does not read.
type teller struct {
	from string // whose lines they are, fit to be shown
	say  func(line string)

	mu      sync.Mutex // guards what follows
	rest    int        // lines that may be told at all
	left    int        // lines that may be told now
	at      time.Time  // when there was the last of them
	lost    int        // lines that were left out since the last that was told
	behind  int        // lines that are left out behind those that are to be told next
	telling bool       // say is called
}

const (
	tellAtOnce = 20          // lines
	tellEvery  = time.Second // one more may be told
	tellMost   = 1000        // lines
)

func newTeller(from string, say func(line string)) *teller {
	return &teller{from: printable.Text(from), say: say, rest: tellMost, left: tellAtOnce, at: time.Now()}
}

// tell tells lines, or counts them. Where others are being told, it counts: it does not wait for
// who waits already.
func (t *teller) tell(lines []string) {
	told := t.choose(lines)
	if told == nil {
		return
	}
	for _, line := range told {
		t.say(line)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.telling = false
}

// choose returns which lines are told now. If there are some, whoever tells them sets telling to
// false.
func (t *teller) choose(lines []string) (told []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range lines {
		if n := int(time.Since(t.at) / tellEvery); n > 0 {
			t.left = min(tellAtOnce, t.left+n)
			t.at = t.at.Add(time.Duration(n) * tellEvery)
		}
		if t.left == 0 || t.rest == 0 || t.telling {
			t.lost++
			continue
		}
		t.left--
		t.rest--
		told = append(append(told, t.takeLost()...), Says(t.from, line))
		if t.rest == 0 {
			told = append(told, fmt.Sprintf("%s has said %d lines: others are left out", t.from, tellMost))
		}
	}
	t.telling = t.telling || told != nil
	t.lost, t.behind = t.lost+t.behind, 0
	return told
}

// Says returns a line that the program of a place has said, to be shown as such: it may say what we
// would. from is whose it is, and both are fit to be shown.
func Says(from, line string) string { return from + " says: " + strings.TrimPrefix(line, ours) }

// leaveOut counts a line that comes behind those that are to be told next.
func (t *teller) leaveOut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.behind++
}

// end tells how many lines were left out.
func (t *teller) end() {
	t.mu.Lock()
	t.lost, t.behind = t.lost+t.behind, 0
	told := t.takeLost()
	t.mu.Unlock()
	for _, line := range told {
		t.say(line)
	}
}

// takeLost returns a line about those that were left out, if there are any. t.mu is held.
func (t *teller) takeLost() []string {
	n := t.lost
	t.lost = 0
	switch n {
	case 0:
		return nil
	case 1:
		return []string{t.from + " says more: one line is left out"}
	}
	return []string{fmt.Sprintf("%s says more: %d lines are left out", t.from, n)}
}
