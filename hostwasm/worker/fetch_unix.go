//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// This file is both sides of how a worker's guests fetch: the host does it, and the
// worker, which has no network, passes on what goes through an exchange.

// A distantFetcher is a worker's hostwasm.Fetcher.
type distantFetcher struct{ asks *asks }

// taskOf is the context's key for a task's commandID.
type taskOf struct{}

// Fetch implements hostwasm.Fetcher.
func (d distantFetcher) Fetch(ctx context.Context, exchange io.ReadWriteCloser) {
	id, _ := ctx.Value(taskOf{}).(commandID)
	r, err := d.asks.askFor(id, ask{What: askFetch})
	defer closeAll(r.files)
	if err != nil || len(r.files) != 2 {
		return // the guest finds the end of the exchange
	}
	from, to := r.files[0], r.files[1]
	defer context.AfterFunc(ctx, func() {
		to.Close()
		// An error means that the host is gone.
		d.asks.askFor(id, ask{What: askLetGo, Number: int64(r.answer.ID)})
	})()
	go io.Copy(to, exchange)  // ends when the exchange or the file is closed
	io.Copy(exchange, from)   // an error means that the guest is gone
	io.Copy(io.Discard, from) // until the host is done, which has told of the request then
}

// fetch answers askFetch, whose ID is number: it makes what a command's exchange passes
// through, has it be answered, and returns the worker's ends.
func (c *child) fetch(id commandID, number uint64) ([]*os.File, error) {
	m := c.find(id)
	if m == nil || c.host.config.HTTP == nil || !m.fetches {
		return nil, errors.New("nothing can be fetched")
	}
	if !m.exchanges.Open(hostwasm.MaxExchanges) {
		return nil, errors.New("too many exchanges")
	}
	in, theirIn, err := os.Pipe()
	if err != nil {
		m.exchanges.Close()
		return nil, err
	}
	theirOut, out, err := os.Pipe()
	if err != nil {
		m.exchanges.Close()
		closeAll([]*os.File{in, theirIn})
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(m.ctx))
	c.mu.Lock()
	m.fetching[number] = cancel
	c.mu.Unlock()
	c.answering.Go(func() { // ends when the guest has let go, with its worker at the latest
		defer m.exchanges.Close()
		m.fetch(ctx, cancel, c.host.config.HTTP, in, out)
		c.mu.Lock()
		delete(m.fetching, number)
		c.mu.Unlock()
	})
	return []*os.File{theirOut, theirIn}, nil
}

// letGo answers askLetGo. The end of what the guest sends says the same, but is found
// only by who has taken what comes before it.
func (c *child) letGo(id commandID, number uint64) {
	m := c.find(id)
	if m == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := m.fetching[number]; cancel != nil {
		cancel()
	}
}

// letAllGo ends the command's exchanges: its worker has not, where it is lost or a guest is stuck.
func (c *command) letAllGo() {
	c.child.mu.Lock()
	defer c.child.mu.Unlock()
	for _, cancel := range c.fetching {
		cancel()
	}
}

// fetch answers one exchange, and closes both files. cancel ends ctx.
func (c *command) fetch(ctx context.Context, cancel context.CancelFunc, f hostwasm.Fetcher, in, out *os.File) {
	defer cancel()
	r, w := io.Pipe()
	go func() { // ends when in is closed, here or by the worker
		_, err := io.Copy(w, in)
		if err == nil {
			err = io.EOF
		}
		w.CloseWithError(err)
		cancel() // there is no other end of what a guest sends than that it lets go
	}()
	go func() { // ends with what is around it
		select {
		case <-c.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	e := answering{r, out}
	f.Fetch(ctx, e)
	e.Close()
	in.Close()
}

// An answering is a worker's exchange, as the host has it.
type answering struct {
	*io.PipeReader
	out *os.File
}

func (a answering) Write(p []byte) (int, error) { return a.out.Write(p) }

func (a answering) Close() error {
	a.PipeReader.Close()
	return a.out.Close()
}
