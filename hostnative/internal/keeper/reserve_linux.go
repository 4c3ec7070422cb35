package keeper

import (
	"context"
	"encoding/json"

	"golang.org/x/sys/unix"
)

// A Reserve is a process that was started to be a keeper below another one, and waits to be told
// which. It is not safe for concurrent use.
type Reserve struct{ below *Keeper }

// OpenBelow starts a keeper as a command of k, which knows what its commands are, and
// ends them with it. It calls answered when k can be given another start.
func (k *Keeper) OpenBelow(ctx context.Context, c Config, answered func()) (*Keeper, error) {
	r, err := k.startBelow(ctx, c, answered)
	if err != nil {
		return nil, err
	}
	return r.Open(c)
}

// Reserve starts a process that Reserve.Open can make a keeper of, sooner than OpenBelow. It has
// it prepare for c's rules, of which those that hand over directories may be others then. It calls
// answered when k can be given another start.
func (k *Keeper) Reserve(ctx context.Context, c Config, answered func()) (*Reserve, error) {
	r, err := k.startBelow(ctx, c, answered)
	if err != nil {
		return nil, err
	}
	rules, err := json.Marshal(c.Rules)
	if err == nil {
		err = r.below.send(message{Kind: prepare, Text: string(rules)})
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (k *Keeper) startBelow(ctx context.Context, c Config, answered func()) (*Reserve, error) {
	s, files, err := c.files()
	if err != nil {
		answered()
		return nil, err
	}
	process, err := k.Start(ctx, Spec{Path: c.Helper, Argv: helperArgv, Env: c.environ(), Files: files}, answered)
	closeAll(files[:2])
	if err != nil {
		s.file.Close()
		return nil, err
	}
	below := &Keeper{socket: s, pid: process.Pid(), process: process}
	go func() { // ends with the process
		process.Wait()
		below.shutdown(unix.SHUT_RDWR)
	}()
	return &Reserve{below}, nil
}

// Open has the process be a keeper, and returns when that is ready. The error is ErrGone if it has
// ended before, for whatever reason.
func (r *Reserve) Open(c Config) (*Keeper, error) { return r.below.greet(c) }

// Close ends a process that was not made a keeper.
func (r *Reserve) Close() {
	r.below.file.Close()
	r.below.process.End(func() {})
}
