package hostwasm

import (
	"context"
	"io"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/tally"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A Fetcher answers what guests ask by HTTP: package hostwasm/httpfetch has one,
// which is not linked where nobody uses it. It is safe for concurrent use.
type Fetcher interface {
	// Fetch answers one exchange, whose frames ABI.md has. It returns when it is done with it, and
	// soon after ctx is: the guest has let go. ctx has the values of the command's start, such as
	// driver.TerminalOf, and those of SessionOf and NetOf. What is read is anything. To close the
	// exchange ends reads and writes that wait; who calls Fetch closes it in any case. A command's
	// end waits until its exchanges are done with, so that what is told of them is told before.
	Fetch(ctx context.Context, exchange io.ReadWriteCloser)
}

// MaxExchanges is how many exchanges a command may have at once, its children's
// among them. One more is EAGAIN.
const MaxExchanges = 16

// exchanges are those of a job.
type exchanges struct {
	fetcher Fetcher
	ctx     context.Context // of its start, but without an end
	open    tally.Tally
}

// FetchedLimit is how long a command's end waits for the Fetcher to be done with what
// the command had open.
const FetchedLimit = 3 * time.Second

// fetchedLimit is FetchedLimit, but for tests.
var fetchedLimit = FetchedLimit

// An asker is who fetches.
type asker struct {
	session core.SessionID
	net     []string
}

// askerKey is where a Fetcher's context has the asker.
type askerKey struct{}

// WithCommand returns ctx with who fetches, for a Fetcher that is called by other than
// this package.
func WithCommand(ctx context.Context, c *core.Command) context.Context {
	a := asker{session: c.Session}
	if c.Bounds != nil {
		a.net = c.Bounds.Net
	}
	return context.WithValue(ctx, askerKey{}, a)
}

// SessionOf returns the session that fetches, given Fetch's context.
func SessionOf(ctx context.Context) core.SessionID {
	a, _ := ctx.Value(askerKey{}).(asker)
	return a.session
}

// NetOf returns what the command that fetches has asked for by core.Bounds.Net, and was
// granted, given Fetch's context. It is not to be changed.
func NetOf(ctx context.Context) []string {
	a, _ := ctx.Value(askerKey{}).(asker)
	return a.net
}

// fetch has an exchange of g's be answered: a wasi.Config.HTTP.
func (g *guest) fetch(e *wasi.Exchange) error {
	j := g.job
	x := &j.exchanges
	if !x.open.Open(MaxExchanges) {
		return errno.AGAIN
	}
	j.running.Add(1) // g runs, so that this is not the first while somebody waits
	go func() {      // ends when the guest has let go, at its end at the latest
		defer j.running.Done()
		defer x.open.Close()
		defer e.Close()
		ctx, cancel := context.WithCancel(x.ctx)
		defer cancel()
		answered := make(chan struct{})
		defer close(answered)
		go func() { // ends with what is around it
			select {
			case <-e.Gone():
				cancel()
			case <-answered:
			}
		}()
		x.fetcher.Fetch(ctx, e)
	}()
	return nil
}
