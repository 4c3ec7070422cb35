package hostwasm

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A Fetcher answers what guests ask by HTTP: package hostwasm/httpfetch has one,
// which is not linked where nobody uses it. It is safe for concurrent use.
type Fetcher interface {
	// Fetch answers one exchange, whose frames ABI.md has. It returns when it is
	// done with it, and soon after ctx is: the guest has let go. ctx has the values
	// of the command's start, such as driver.TerminalOf. What is read is anything. To
	// close the exchange ends reads and writes that wait; who calls Fetch closes it
	// in any case.
	Fetch(ctx context.Context, exchange io.ReadWriteCloser)
}

// MaxExchanges is how many exchanges a command may have at once, its children's
// among them. One more is EAGAIN.
const MaxExchanges = 16

// exchanges are those of a job.
type exchanges struct {
	fetcher Fetcher
	ctx     context.Context // of its start, but without an end
	open    atomic.Int32
}

// fetch has an exchange of g's be answered: a wasi.Config.HTTP.
func (g *guest) fetch(e *wasi.Exchange) error {
	j := g.job
	x := &j.exchanges
	if x.open.Add(1) > MaxExchanges {
		x.open.Add(-1)
		return errno.AGAIN
	}
	j.running.Add(1) // g runs, so that this is not the first while somebody waits
	go func() {      // ends when the guest has let go, at its end at the latest
		defer j.running.Done()
		defer x.open.Add(-1)
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
