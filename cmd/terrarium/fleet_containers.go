package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// containers are those of a worker.
type containers struct {
	image   place.Image
	program os.FileInfo // of the image's Program, when the worker has started
	far     []string
	worker  string
	say     func(line string)
	hurry   context.Context // ends soon after a signal that ends the worker at once
	late    *lateContainers
}

// start prepares the engine for a worker of that name, and shows that a container can be started.
// The error says why not. No other worker is that one until leave, which waits for what the engine
// may have to end yet.
func (c *containers) start(ctx context.Context, client *fleet.Client, worker string, far []string) (leave func(), err error) {
	c.worker, c.far = worker, far
	c.hurry = hurried(ctx)
	c.image.Owner, c.image.Worker = worker+"."+client.User(), processMark(os.Getpid())
	if c.image.Program, err = os.Executable(); err != nil {
		return nil, err
	}
	if c.program, err = os.Stat(c.image.Program); err != nil {
		return nil, err
	}
	if needsLibraries(c.image.Program) {
		c.say("this program needs a C library, and may not start in images with another one: CGO_ENABLED=0 builds one that needs none")
	}
	unlock, err := c.lock()
	if err != nil {
		return nil, err
	}
	c.late = &lateContainers{say: c.say, remove: func(ctx context.Context, names []string) []string {
		removed, _ := c.image.Remove(ctx, names...) // most are not there
		return removed
	}}
	leave = func() {
		c.late.wait()
		unlock()
	}
	if err = c.image.CheckFlags(ctx); err == nil {
		err = c.takeOver(ctx, client)
	}
	if err == nil {
		err = c.ready(ctx)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// errHurried is why nobody waits any longer until a container is removed.
var errHurried = errors.New("a signal ends the worker at once")

// hurryTime is how long containers may still take then to be removed.
const hurryTime = 3 * time.Second

// hurried returns a context that ends hurryTime after ctx.
func hurried(ctx context.Context) context.Context {
	hurry, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		time.AfterFunc(hurryTime, func() { cancel(errHurried) })
	})
	return hurry
}

// takeOver removes what a worker of this name has left that has ended. One that has another
// directory for locks than we may be there still, and its sessions with it.
func (c *containers) takeOver(ctx context.Context, client *fleet.Client) error {
	switch taken, err := fleet.IsNameTaken(ctx, client, c.worker); {
	case err != nil:
		return err
	case taken:
		return fmt.Errorf("a worker of the fleet is called %s, and may have sessions in containers of that name: --name calls this one something else", c.worker)
	}
	n, err := c.image.RemoveAll(ctx, isRunning)
	if n > 0 {
		c.say("it has removed " + counted(n, "container") + " of a worker of this name that has ended")
	}
	if errors.Is(err, place.ErrInUse) { // it is not heard, and has another directory for locks
		return c.taken()
	}
	return err
}

// taken says that another worker on this machine has our name and credentials.
func (c *containers) taken() error {
	return fmt.Errorf("another worker is called %s here, and has containers of %s: --name calls this one something else", c.worker, c.image.Engine)
}

// lock keeps another worker of this name, and with these credentials, from taking our containers
// for what was left of it.
func (c *containers) lock() (unlock func(), err error) {
	sum := sha256.Sum256([]byte(c.image.Engine + " " + c.image.Owner))
	name := hex.EncodeToString(sum[:8])
	dir, err := stateDir("workers")
	if err == nil {
		unlock, err = c.lockIn(filepath.Join(dir, name))
	}
	if err == nil || errors.Is(err, errLocked) {
		return unlock, c.orTaken(err)
	}
	parent, failed := keptParent()
	if failed != nil {
		return nil, failed
	}
	dir = filepath.Join(parent, "worker-"+name)
	c.say(fmt.Sprintf("its lock is %s, since there can be none in the state directory: %v", dir, err))
	unlock, err = c.lockIn(dir)
	return unlock, c.orTaken(err)
}

// orTaken returns err, or what it means that others have the lock.
func (c *containers) orTaken(err error) error {
	if errors.Is(err, errLocked) {
		return c.taken()
	}
	return err
}

func (c *containers) lockIn(dir string) (unlock func(), err error) {
	if err := private.MkdirAll(dir); err != nil {
		return nil, err
	}
	return lockWithin(dir, closeTime)
}

// needsLibraries reports whether a program is linked to libraries when it starts.
func needsLibraries(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// ready says why no container can be started now: it starts one, and ends it.
func (c *containers) ready(ctx context.Context) error {
	if err := c.image.Prepare(ctx, func() { c.say("fetching " + c.image.String()) }); err != nil {
		return err
	}
	host, err := c.open(ctx, func(error) {})
	if err != nil {
		return err
	}
	return host.Close()
}

// containerStart is how long a container may take until its host answers.
const containerStart = 2 * time.Minute

// open starts a container. The error is in one line, with the engine's words.
func (c *containers) open(ctx context.Context, lost func(why error)) (fleet.OwnHost, error) {
	name := "terrarium-" + c.worker + "-" + strings.ToLower(rand.Text())
	h := &containerHost{containers: c, name: name, lost: lost}
	h.dialer = &place.Dialer{Place: c.image.Container(name), Far: c.far, Said: c.say, From: "container " + name}
	starting, cancel := context.WithTimeout(ctx, containerStart)
	defer cancel()
	var err error
	h.Host, err = remote.Connect(starting, remote.Config{Dial: h.dial, OnState: h.state})
	if err == nil {
		h.dialer.Made()
		return h, nil
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case starting.Err() != nil:
		err = fmt.Errorf("%s: it does not start within %v", &c.image, containerStart)
	default:
		err = c.explain(h.dialer.Explain(ctx, err))
	}
	h.Close()
	if !h.removed && h.dialer.Killed() {
		c.late.add(c.hurry, name)
	}
	return nil, err
}

// explain names the reason of a failure that a program has which is not the worker's any more.
func (c *containers) explain(err error) error {
	f, ok := errors.AsType[*place.Failure](err)
	if !ok || !c.image.IsAboutProgram(f) {
		return err
	}
	if now, err := os.Stat(c.image.Program); err == nil && os.SameFile(now, c.program) {
		return f
	}
	return &place.Failure{Place: f.Place, Text: "the worker's program was replaced or removed since it has started: start the worker again", Err: f.Err}
}
