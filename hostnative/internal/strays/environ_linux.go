package strays

import (
	"bytes"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// tagLimit is how long ReadTag waits for an answer, and maxStuck how many
// questions may wait for theirs: each holds a thread.
const (
	tagLimit = 100 * time.Millisecond
	maxStuck = 16
)

// ReadTag returns the value of Env in the environment that the process pid was
// started with, or "" if it has none or we may not know. sure is false if that
// may change: a process that is just executing another program has none.
// It is false of one that has ended, too: who has listed it may have missed its
// children.
//
// The kernel takes locks of the process to read its environment, and one that
// is stuck in a system call may hold them for ever: a file system does not
// answer. ReadTag is not sure of such a process, and does not ask again before
// the first question is answered.
func ReadTag(pid int) (tag string, sure bool) {
	tag, _, sure = tags.ask(pid)
	return tag, sure
}

// IsTagged is ReadTag, but sure only of a process that has a tag, or variables and none
// among them. One without any may be executing a program: the kernel sets where its
// environment begins and ends, to the same, and then copies it.
func IsTagged(pid int) (tag string, sure bool) {
	tag, some, sure := tags.ask(pid)
	return tag, sure && some
}

// IsBare reports whether a process has no variables for good: it sleeps, as none does that is
// executing a program.
func IsBare(pid int) bool {
	s, err := ReadStat(pid)
	return err == nil && s.isBare()
}

func (s Stat) isBare() bool { return s.Environ && !s.Variables && s.Asleep }

var tags = questions{read: readTag, open: make(map[int]bool)}

// questions are those that have no answer yet.
type questions struct {
	read func(pid int) (tag string, some, sure bool) // some: there are variables
	mu   sync.Mutex
	open map[int]bool
}

func (q *questions) ask(pid int) (tag string, some, sure bool) {
	if !q.may(pid) {
		return "", false, false
	}
	type answer struct {
		tag        string
		some, sure bool
	}
	answered := make(chan answer, 1)
	go func() { // ends when the kernel answers
		tag, some, sure := q.read(pid)
		q.forget(pid)
		answered <- answer{tag, some, sure}
	}()
	late := time.NewTimer(tagLimit)
	defer late.Stop()
	select {
	case a := <-answered:
		return a.tag, a.some, a.sure
	case <-late.C:
		return "", false, false
	}
}

// may reports whether pid may be asked, and if so counts it until forget.
func (q *questions) may(pid int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open[pid] || len(q.open) >= maxStuck {
		return false
	}
	q.open[pid] = true
	return true
}

func (q *questions) forget(pid int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, pid)
}

func readTag(pid int) (tag string, some, sure bool) {
	tag, some, sure = readTagIn(proc(pid, ""))
	if !some {
		if dir, ok := otherThread(pid); ok {
			return readTagIn(dir)
		}
	}
	return tag, some, sure
}

// readTagIn is readTag for a thread, whose folder in /proc is dir.
func readTagIn(dir string) (tag string, some, sure bool) {
	fd, err := open(dir+"environ", unix.O_RDONLY)
	if err != nil {
		return "", false, !gone(err)
	}
	defer unix.Close(fd)
	b, err := readAll(fd)
	if err != nil {
		return "", false, !gone(err)
	}
	for kv := range bytes.SplitSeq(b, []byte{0}) {
		if value, ok := bytes.CutPrefix(kv, []byte(Env+"=")); ok {
			return string(value), true, true
		}
	}
	if len(b) == 0 {
		s, err := readStat(dir + "stat")
		return "", false, err == nil && s.isBare()
	}
	if len(b) < pageSize {
		return "", true, true
	}
	// It took more than one read. If the process has executed another program
	// in between, then the second has found nothing, and neither will this.
	n, err := unix.Pread(fd, b[:1], 0)
	return "", true, err == nil && n > 0
}

// gone reports whether err says that a process has ended.
func gone(err error) bool { return err == unix.ENOENT || err == unix.ESRCH }
