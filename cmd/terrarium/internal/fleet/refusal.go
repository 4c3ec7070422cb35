package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// A refusedError is what the server does not permit these credentials. NATS says it beside the
// answers: what was asked gets none.
type refusedError struct {
	what string // `publish to "SUBJECT"`
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("the server does not permit what a fleet needs, %s: whoever runs it can allow that", e.what)
}

// refusal returns a violation of permissions, as NATS reports it, or nil for other errors.
func refusal(err error) *refusedError {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	const before = "Permissions Violation for "
	what := err.Error()
	if _, after, found := strings.Cut(what, before); found && after != "" {
		what = strings.ToLower(after[:1]) + after[1:]
	}
	return &refusedError{what}
}

// about reports whether it is one of the subjects that was refused.
func (e *refusedError) about(subjects []string) bool {
	return slices.ContainsFunc(subjects, func(s string) bool { return strings.Contains(e.what, `"`+s+`"`) })
}

// listeners are told what the server refuses. The zero value has none.
type listeners struct {
	mu   sync.Mutex // guards next and each
	next int
	each map[int]func(*refusedError)
}

// add has hear called with what is refused from now on, until remove. It must not wait.
func (l *listeners) add(hear func(*refusedError)) (remove func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.each == nil {
		l.each = make(map[int]func(*refusedError))
	}
	id := l.next
	l.next++
	l.each[id] = hear
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.each, id)
	}
}

// tell is a nats.ErrHandler's. What is not about permissions, such as a slow reader, ends the link.
func (c *Client) tell(_ *nats.Conn, _ *nats.Subscription, err error) {
	e := refusal(err)
	if e == nil {
		return
	}
	c.refusals.mu.Lock()
	defer c.refusals.mu.Unlock()
	for _, hear := range c.refusals.each {
		hear(e)
	}
}

// heed returns a context that ends when the server refuses something, unless it is about one of the
// subjects that one can do without. Its cause is a *refusedError then.
func (c *Client) heed(ctx context.Context, without ...string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	remove := c.refusals.add(func(e *refusedError) {
		if !e.about(without) {
			cancel(e)
		}
	})
	return ctx, func() {
		remove()
		cancel(nil)
	}
}

// settle waits until the server has taken what was sent. The error says what it has refused of it.
func (c *Client) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	err := c.nats.FlushWithContext(ctx)
	if e := refusal(c.nats.LastError()); e != nil {
		return e
	}
	return refusedOr(ctx, err)
}

// refusedOr returns what has ended a context of heed, if that was a refusal, or else err.
func refusedOr(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*refusedError](context.Cause(ctx)); ok {
		return e
	}
	return err
}
