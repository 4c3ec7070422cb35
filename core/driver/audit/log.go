package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// LogConfig says how a Log keeps its file.
type LogConfig struct {
	// MaxBytes is how long the file gets before another takes its place. If zero, 64 MiB.
	MaxBytes int64
	// Keep is how many older files there are, FILE.1 the youngest. If zero, 9; if negative, none.
	Keep int
}

// A Log is a record in a file, to which any number of programs may append at the same time. Its
// methods are safe for concurrent use.
type Log struct {
	name     string
	config   LogConfig
	patience time.Duration // with others who append

	mu   sync.Mutex // guards the fields below
	file *os.File   // nil if it has to be opened
	end  end        // as of size
	size int64      // of the file when it was looked at last; negative if that is not known
	// lost counts the events that could not be written, and why the last was not.
	lost int64
	why  error
	gone string // what was taken out of the file since we wrote there
}

// lockTime is how long others may take to append before we give up.
const lockTime = 5 * time.Second

// Open opens a record, or begins one. Only its owner may read a new file. One that others may
// write, that is no file, or no record, is refused.
func Open(name string, c LogConfig) (*Log, error) {
	if c.MaxBytes == 0 {
		c.MaxBytes = 64 << 20
	}
	if c.Keep == 0 {
		c.Keep = 9
	}
	l := &Log{name: name, config: c, patience: lockTime, end: end{hash: noHash}, size: -1}
	return l, l.locked(func() error { return nil })
}

// Close frees the Log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// Append writes e, with its place in the record. Events that could not be written before are told
// of first, as a number.
func (l *Log) Append(e *Event) error {
	err := l.locked(func() error {
		if err := l.recover(e); err != nil {
			return err
		}
		return l.put(e, nil)
	})
	if err != nil {
		l.mu.Lock()
		l.lost, l.why = l.lost+1, err
		l.mu.Unlock()
	}
	return err
}

// locked calls f while nobody else writes to the record.
func (l *Log) locked(f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.lock(); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	defer l.unlock()
	if err := l.look(); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if err := f(); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// maxTail is how far from its end a file is searched for a whole line. What a crash leaves behind
// that is longer is not ours.
const maxTail = 1 << 20

// look finds out where the record goes on, unless it is as we have left it.
func (l *Log) look() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size == l.size {
		return nil
	}
	if size == 0 {
		l.size = 0
		l.end.torn = torn{}
		return nil // the first line, or one that goes on after a file that is gone
	}
	for want := int64(2 * maxLine); ; want *= 16 {
		tail := make([]byte, min(want, size))
		if _, err := l.file.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
			return err
		}
		all := int64(len(tail)) == size
		if e, ok := findEnd(tail, all); ok {
			if gone := l.missing(e, size); gone != "" {
				l.gone = gone
			}
			l.end, l.size = e, size
			return nil
		}
		if all || want >= maxTail {
			return fmt.Errorf("%s: not a record: its end is none of ours", l.name)
		}
	}
}

// missing says which lines are gone that we have written, or have seen, if the file ends in now.
// What another has written since then may stand in their place.
func (l *Log) missing(now end, size int64) string {
	last := l.end.seq
	there := now
	switch {
	case last == 0:
		return ""
	case now.seq+1 < last:
		return fmt.Sprintf("lines %d to %d that were written are gone", now.seq+1, last)
	case now.seq < last:
		return fmt.Sprintf("line %d that was written is gone", last)
	case now.seq > last && l.size > 0 && size > l.size: // the same file, so ours ended at l.size
		tail := make([]byte, min(2*maxLine, l.size))
		if _, err := l.file.ReadAt(tail, l.size-int64(len(tail))); err != nil {
			return ""
		}
		there, _ = findEnd(tail, int64(len(tail)) == l.size)
	case now.seq > last:
		return ""
	}
	if there.hash != l.end.hash {
		return fmt.Sprintf("line %d that was written is gone", last)
	}
	return ""
}

// recover tells of a line that was not written whole, of events that were not written, and of lines
// that are gone.
func (l *Log) recover(like *Event) error {
	var why []error
	e := Event{Time: like.Time, Mono: like.Mono, HostID: like.HostID, Event: Recover, torn: l.end.torn}
	var before []byte
	if e.torn != (torn{}) || l.end.open {
		why = append(why, errors.New("a line was not written whole"))
		before = []byte{'\n'}
	}
	if l.lost > 0 {
		why = append(why, fmt.Errorf("%d events were not written: %w", l.lost, l.why))
	}
	if l.gone != "" {
		why = append(why, errors.New(l.gone))
	}
	if why == nil {
		return nil
	}
	e.Reason = oneLine(why)
	err := l.put(&e, before)
	if err == nil {
		l.lost, l.why, l.gone, l.end.torn, l.end.open = 0, nil, "", torn{}, false
	}
	return err
}

func oneLine(errs []error) (s string) {
	for i, err := range errs {
		if i > 0 {
			s += "; "
		}
		s += err.Error()
	}
	return s
}

// put writes e after before, at once.
func (l *Log) put(e *Event, before []byte) error {
	if l.size == 0 && l.end.seq > 0 && e.Event != Rotate {
		// The file that we wrote to was taken away.
		first := Event{Time: e.Time, Mono: e.Mono, HostID: e.HostID, Event: Rotate, Reason: "the file before it is gone"}
		if err := l.put(&first, nil); err != nil {
			return err
		}
	}
	line := l.chain(e, before)
	if l.size > 0 && l.size+int64(len(line)) > l.config.MaxBytes {
		if len(before) == 0 { // else a line of this file is to be told of
			if err := l.rotate(e); err != nil {
				return err
			}
			line = l.chain(e, before)
		}
	}
	n, err := l.file.Write(line)
	if n < len(line) {
		l.size = -1
		return err
	}
	l.size += int64(n)
	l.end.seq, l.end.hash = e.Seq, e.Hash
	return nil
}

// chain returns e as the next line.
func (l *Log) chain(e *Event, before []byte) []byte {
	e.Seq, e.Prev = l.end.seq+1, l.end.hash
	return appendLine(before, e)
}
