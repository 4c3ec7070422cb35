package place

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/said"
)

// A tail keeps the last lines that a program has said.
type tail struct {
	done     chan struct{} // closed when nothing more comes
	pace     pace          // of read
	hurried  chan struct{} // closed when read waits no longer
	hurrying sync.Once

	mu     sync.Mutex
	kept   said.Lines
	whole  string    // the last line that has ended
	came   time.Time // when something was read
	dump   dump
	teller *teller  // is told what comes; nil while the connection is not made, and at the end
	untold []string // is to be told soon
	before int      // the lines at the head of untold that came before the connection was made
	held   bool     // what is untold waits: it may be why the program ends

	carried bool     // a connection was made
	said    int      // lines that have come
	settled int      // how many of these came before it was made, or were told
	why     []string // the last of the others, or of all, when nothing more comes
}

// tellDelay is how long a line waits until it is told. Who says why it ends does so just before:
// that is told as the reason, and need not be twice.
const tellDelay = 200 * time.Millisecond

// tailLimit is how long the last words of a program that has ended may take to come.
const tailLimit = 200 * time.Millisecond

func newTail() *tail {
	t := &tail{done: make(chan struct{}), hurried: make(chan struct{})}
	t.kept.Each = func(line string) {
		t.dump.line(line)
		t.said++
		t.whole = line
		if t.teller != nil {
			t.tellSoon(line)
		}
	}
	return t
}

// read reads until the end. Whoever writes more than can be told has to wait.
func (t *tail) read(f io.ReadCloser) {
	defer close(t.done)
	defer f.Close()
	b := make([]byte, readSize)
	for {
		n, err := f.Read(b)
		t.keep(b[:n])
		if err != nil { // the end of a pipe, also where it was closed
			break
		}
		if wait := t.pace.take(n); wait > 0 {
			select {
			case <-time.After(wait):
			case <-t.hurried:
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept.End()
}

// readSize is how much is read at once, in bytes.
const readSize = 32 << 10

// keep keeps the last of what was read.
func (t *tail) keep(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.came = time.Now()
	t.kept.Write(p)
}

// hurry has read wait no longer: the program is to end, and may have to write before.
func (t *tail) hurry() { t.hurrying.Do(func() { close(t.hurried) }) }

// tellSoon has a line told, unless the program ends before. t.mu is held.
func (t *tail) tellSoon(line string) {
	if len(t.untold) == maxUntold {
		t.teller.leaveOut()
		return
	}
	if t.untold = append(t.untold, line); len(t.untold) == 1 {
		time.AfterFunc(tellDelay, t.tellDue)
	}
}

// maxUntold is how many lines are kept to be told.
const maxUntold = 2 * tellAtOnce

// tellDue tells them, unless they are held.
func (t *tail) tellDue() {
	t.mu.Lock()
	held := t.held
	t.mu.Unlock()
	if !held {
		t.tell()
	}
}

// hold has what was not told yet wait for the program's end, or for quit. The program writes to its
// standard output no more, so it may be why, however long the end takes.
func (t *tail) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = true
}

// tell tells them. t.mu is not held meanwhile: who reads what the program says must not wait.
func (t *tail) tell() {
	t.mu.Lock()
	to, lines := t.teller, t.untold
	t.untold, t.before, t.settled = nil, 0, t.said
	t.mu.Unlock()
	if to != nil {
		to.tell(lines)
	}
}

// made has a person told what is said from now on, and what a terrarium has said before.
func (t *tail) made(to *teller) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.teller = to; to == nil {
		return
	}
	for _, line := range t.kept.All() {
		if strings.HasPrefix(line, ours) {
			t.tellSoon(line)
		}
	}
	t.before, t.settled, t.carried = len(t.untold), t.said, true
}

// ours begins the lines of a terrarium.
const ours = "terrarium: "

// quit tells what was not told yet, and nothing more.
func (t *tail) quit() {
	t.hurry()
	t.tell()
	t.made(nil)
}

// finish returns when all that the program itself has said was read from f. The last of it is why
// it has ended, and is told by who asks for that.
func (t *tail) finish(f *os.File) {
	t.hurry()
	f.SetReadDeadline(time.Now().Add(tailLimit))
	<-t.done
	t.settle()
}

// settle notes what may be why the program has ended, and tells what can't be and was to be told.
func (t *tail) settle() {
	t.mu.Lock()
	to, lines := t.teller, t.untold[:t.before]
	if t.why = t.kept.All(); t.carried {
		t.why = t.why[max(0, len(t.why)-(t.said-t.settled)):]
	}
	t.teller, t.untold = nil, nil
	t.mu.Unlock()
	if to != nil {
		to.tell(lines)
	}
}

// crash says what has become of a program of Go that has dumped its stacks at the end, or "".
func (t *tail) crash() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dump.words()
}

// last returns the lines that may be why the program has ended, fit to be shown: the last of all,
// or where it has carried a connection those that came since and were not told.
func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// newest returns the last line that was said so far, or "".
func (t *tail) newest() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.came) < tellDelay { // more of the last line may be on its way
		return t.whole
	}
	return t.kept.Last()
}

// hasCarried reports whether it has carried a connection.
func (t *tail) hasCarried() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.carried
}
