package hostwasm

import (
	"context"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/waits"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A job is what one terminal runs: a command and what it starts.
type job struct {
	host    *Host
	tree    *vfs.Tree
	account *account
	output  *wasi.Quota

	running   sync.WaitGroup // guests
	processes table
	compiling waits.Waits // for what guests start
	exchanges exchanges
}

// maxWaits is how many times Limits.Compile a command may wait for modules
// without it counting as time that it ran: it may start several. A worker's host
// counts for itself.
const maxWaits = 10

// newJob returns a job with the host's limits and the files in tree, which it
// closes at its end.
func (h *Host) newJob(tree *vfs.Tree) *job {
	l := h.config.Limits
	j := &job{host: h, tree: tree, account: newAccount(h.account, l.Fuel, l.Memory, int64(l.Processes))}
	j.compiling.Most = maxWaits * l.Compile
	if l.Output >= 0 {
		j.output = wasi.NewQuota(l.Output, nil)
	}
	return j
}

// stack is what each guest's calls may take. It is booked as a whole, before the
// guest starts, on the command and not on the guest: what a guest is given of
// its parent's memory is linear memory.
func (j *job) stack() int64 { return j.host.config.Limits.Stack }

// close waits for all guests, which were killed, and frees the files. If that
// takes too long it happens later.
func (j *job) close() error {
	done := make(chan error, 1)
	go func() { // ends with the guests: soon, or when a file system answers
		j.running.Wait()
		done <- j.tree.Close()
	}()
	late := time.NewTimer(stuckLimit)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return errStuck
	}
}

// start starts g, of which all but what it does itself is set, with what c
// says besides. Its number is pid, or the next one if that is 0. When it has
// ended its program is released; not if start fails. It may wait for room, as
// long as ctx lasts.
func (j *job) start(ctx context.Context, g *guest, c wasi.Config, pid uint32) error {
	c.Files, c.Dir = g.files, g.dir
	c.Deterministic = j.host.config.Deterministic
	if c.Modes == (wasi.FileModes{}) && !c.Deterministic {
		c.Modes = wasi.Masked(vfs.Umask())
	}
	c.Limits = wasi.Limits{
		OpenFiles: j.host.config.Limits.OpenFiles,
		Args:      j.host.config.Limits.Arguments,
		Output:    g.output,
		Memory:    kept{g},
		Fuel:      g.work,
	}
	c.Spawner, c.Processes = spawner{g}, listing{g}
	if j.exchanges.fetcher != nil {
		c.HTTP = g.fetch
	}
	if len(c.Args) == 0 {
		return errno.INVAL
	}
	if !g.account.takeProcess() {
		return &wasi.Limit{Reason: core.ReasonProcesses}
	}
	if !j.account.takeMemory(j.stack()) {
		g.account.giveProcess()
		return errno.NOMEM
	}
	process, err := wasi.New(c)
	if err != nil {
		j.account.giveMemory(j.stack())
		g.account.giveProcess()
		return err
	}
	g.wasi, g.name, g.done = process, c.Args[0], make(chan struct{})
	g.ctx, g.cancel = context.WithCancel(context.Background())
	undo := func() {
		g.cancel()
		process.Close()
		j.account.giveMemory(j.stack())
		g.account.giveProcess()
	}
	if err := j.processes.add(g, c.Args, pid); err != nil {
		undo()
		return err
	}
	run, err := g.begin(ctx)
	if err != nil {
		j.processes.remove(g.entry)
		undo()
		return err
	}
	j.running.Add(1)
	go func() { // ends soon after g is killed
		defer j.running.Done()
		g.run(run)
		j.host.programs.release(g.program)
	}()
	return nil
}
