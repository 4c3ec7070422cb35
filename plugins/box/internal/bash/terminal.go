package bash

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// A terminal is the one that the sandbox's first process leads, with ^C to end what runs in its
// foreground. A nil one does nothing: elsewhere ^C is a signal, which ends the shell.
type terminal struct {
	keys    *os.File // what is typed. Only the goroutine that reads waits for it.
	notices *os.File // see proc.Interrupts

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // ends what is in the foreground; nil before there is any
	pending bool                    // a notice was seen, and not answered

	answered chan struct{}
}

type terminalKey struct{}

// openTerminal returns the terminal on which stdin is read. A shell inside a shell shares that
// one's.
func openTerminal(ctx context.Context, stdin io.Reader) *terminal {
	if t, ok := ctx.Value(terminalKey{}).(*terminal); ok {
		if stdin != t.keys {
			return nil
		}
		return t
	}
	if stdin != os.Stdin {
		return nil
	}
	notices, err := proc.Interrupts()
	if err != nil {
		return nil
	}
	keys, err := proc.Waiting(os.Stdin)
	if err != nil {
		notices.Close()
		return nil
	}
	t := &terminal{keys: keys, notices: notices, answered: make(chan struct{})}
	go t.watch() // ends with the process
	return t
}

// input is stdin, or what stands for it.
func (t *terminal) input(stdin io.Reader) io.Reader {
	if t == nil {
		return stdin
	}
	return t.keys
}

// interrupted is the cause of a context that ended by ^C.
type interrupted struct{}

func (interrupted) Error() string { return "interrupted" }

// Interrupt says that it concerns the foreground alone.
func (interrupted) Interrupt() {}

// watch ends what is in the foreground at each notice. It leaves the notice unread until the shell
// has come back from there, and so a shell that never does can be ended by the next one.
func (t *terminal) watch() {
	raw, err := t.notices.SyscallConn()
	if err != nil {
		return
	}
	for {
		waited := false
		err := raw.Read(func(uintptr) bool {
			defer func() { waited = true }()
			return waited
		})
		if err != nil {
			return
		}
		t.interrupt()
		<-t.answered
	}
}

func (t *terminal) interrupt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = true
	if t.cancel != nil {
		t.stop(t.cancel)
	}
}

// stop ends what cancel does.
func (t *terminal) stop(cancel context.CancelCauseFunc) {
	cancel(interrupted{})
	t.keys.SetReadDeadline(time.Unix(1, 0)) // for a read that does not ask its context
}

// foreground returns the context of what ^C shall end from now on. done takes that back, and
// reports whether there was a ^C.
func (t *terminal) foreground(parent context.Context) (ctx context.Context, done func() bool) {
	if t == nil {
		return parent, func() bool { return false }
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, terminalKey{}, t))
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.cancel
	t.cancel = cancel
	if t.pending {
		t.stop(cancel)
	}
	return ctx, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cancel = before
		if !t.pending {
			return false
		}
		t.pending = false
		t.keys.SetReadDeadline(time.Time{})
		var notice [1]byte
		t.notices.Read(notice[:])
		t.answered <- struct{}{}
		return true
	}
}
