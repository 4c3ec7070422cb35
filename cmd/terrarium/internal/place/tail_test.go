package place

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// An endless program says the same again and again.
type endless struct {
	read atomic.Int64 // bytes
	most int64        // after which it ends
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read.Load() >= e.most {
		return 0, io.EOF
	}
	n := copy(p, strings.Repeat("spam\n", len(p)/5))
	e.read.Add(int64(n))
	return n, nil
}

func (e *endless) Close() error { return nil }

// What may be why a program has ended came after the connection was made, if there was one, and was
// not told. What was said before and is to be told is told.
func TestTailLast(t *testing.T) {
	talks := func(s *tail) { s.keep([]byte("after\n")); time.Sleep(2 * tellDelay) }
	for name, test := range map[string]struct {
		then func(s *tail, to *teller)
		last string
		told string
	}{
		"not made": {func(*tail, *teller) {}, "terrarium: note|banner", ""},
		"silent":   {func(s *tail, to *teller) { s.made(to); time.Sleep(time.Hour) }, "", "it says: note"},
		"at once":  {func(s *tail, to *teller) { s.made(to) }, "", "it says: note"},
		"told":     {func(s *tail, to *teller) { s.made(to); talks(s) }, "", "it says: note|it says: after"},
		"last": {func(s *tail, to *teller) { s.made(to); talks(s); s.keep([]byte("end\n")) },
			"end", "it says: note|it says: after"},
		"last at once": {func(s *tail, to *teller) { s.made(to); s.keep([]byte("end\n")) }, "end", "it says: note"},
		"last of many": {func(s *tail, to *teller) {
			s.made(to)
			s.keep([]byte(strings.Repeat("x\n", 3*maxUntold) + "end"))
		}, strings.Repeat("x|", 11) + "end", "it says: note"},
		"slow": {func(s *tail, to *teller) { s.made(to); s.hold(); talks(s) }, "after", "it says: note"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []string
				to := newTeller("it", func(line string) { told = append(told, line) })
				s := newTail()
				s.keep([]byte("terrarium: note\nbanner\n"))
				test.then(s, to)
				synctest.Wait()
				s.kept.End() // as at the end of what is read
				s.settle()
				s.quit()
				time.Sleep(time.Hour)
				if got := strings.Join(s.last(), "|"); got != test.last {
					t.Errorf("got %q at last, want %q", got, test.last)
				}
				if got := strings.Join(told, "|"); got != test.told {
					t.Errorf("got told %q, want %q", got, test.told)
				}
			})
		})
	}
}

// Where it goes on although nothing comes from it, what it says is told when it is to end.
func TestTailHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		s := newTail()
		s.made(newTeller("it", func(line string) { told = append(told, line) }))
		s.hold()
		s.keep([]byte("after\n"))
		time.Sleep(time.Hour)
		s.quit()
		if got := strings.Join(told, "|"); got != "it says: after" {
			t.Errorf("got told %q, want all", got)
		}
	})
}

// Who says more than is told is read slowly, but not when it is to end.
func TestReadSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const while = 10
		from := &endless{most: 64 << 20}
		said := newTail()
		go said.read(from)
		time.Sleep(while * time.Second)
		synctest.Wait()
		got, least, most := from.read.Load(), int64(readAtOnce), int64(readAtOnce+while*readRate+readSize)
		if got < least || got > most {
			t.Errorf("got %d bytes read in %d s, want %d to %d", got, while, least, most)
		}
		began := time.Now()
		said.quit()
		<-said.done
		if waited := time.Since(began); waited > 0 {
			t.Errorf("it has ended %v later, want at once", waited)
		}
		if got := from.read.Load(); got < from.most {
			t.Errorf("got %d bytes read, want all %d at its end", got, from.most)
		}
	})
}
