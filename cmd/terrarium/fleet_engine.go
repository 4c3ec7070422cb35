package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// engineFlags have each session of a worker run in a container of its own. A request has no say in
// them.
type engineFlags struct {
	image string
	flags []string

	containers *containers // nil: sessions run here
}

func (f *engineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.image, "image", "", "")
	cmd.Flags().StringArrayVar(&f.flags, "engine-flag", nil, "")
}

// checkEngine says what is wrong with the flags of an engine. One that starts containers is taken
// out of those of the host, which is in the container then.
func (f *fleetJoinFlags) checkEngine() error {
	if !slices.Contains(place.Engines(), f.engine) {
		for _, name := range []string{"image", "engine-flag"} {
			if f.set.Changed(name) {
				return fmt.Errorf("--%s needs --engine %s", name, strings.Join(place.Engines(), " or "))
			}
		}
		return nil
	}
	if runtime.GOOS != "linux" {
		return fmt.Errorf("--engine %s: containers are Linux, and this program is for %s: run the worker in the engine's machine", f.engine, runtime.GOOS)
	}
	c := &containers{say: f.say, image: place.Image{Engine: f.engine, Name: f.image, Flags: f.engineFlags.flags, Env: f.env}}
	if err := c.image.Check(); err != nil {
		return err
	}
	if _, err := f.variables(); err != nil {
		return err
	}
	f.containers, f.elsewhere = c, true
	f.engine, f.set.Lookup("engine").Changed = engines[0], false
	return f.checkThere("--engine " + c.image.Engine)
}

// farEngine returns the command line of the host in a container, without its program.
func (f *fleetJoinFlags) farEngine() []string {
	far := append([]string{"host", "serve", "--stdio"}, f.farArgs(&core.Command{Cwd: f.cwd})...)
	if f.cwd != "" && !f.confine.confines() {
		far = append(far, "--cwd", f.cwd)
	}
	switch {
	case f.host == "wasm":
		for _, e := range f.env {
			name, _, _ := strings.Cut(e, "=")
			far = append(far, "--env", name)
		}
	case !f.inherit: // a container has no variables but the image's and those of --env
		far = append(far, "--env-inherit")
	}
	return far
}

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
	if err = c.takeOver(ctx, client); err == nil {
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

// A containerHost has the commands of one session run in a container, and ends with it.
type containerHost struct {
	*remote.Host
	containers *containers
	name       string
	dialer     *place.Dialer
	lost       func(why error)

	// Of the Host's goroutine that connects.
	dialed bool
	why    error // the connection has ended

	closing sync.Once
	removed bool // there was a container that Close has removed
}

// dial starts the container, the first time. It ends with the connection, so there is no second.
func (h *containerHost) dial(ctx context.Context) (io.ReadWriteCloser, error) {
	if h.dialed {
		return nil, goneError(endedWords(h.why)) // which terminals may be told before state is
	}
	h.dialed = true
	return h.dialer.Dial(ctx)
}

func (h *containerHost) state(s remote.State) {
	switch s.Link {
	case remote.Reconnecting:
		h.why = s.Err
	case remote.Lost:
		if h.why == nil {
			h.why = s.Err
		}
		h.lost(errors.New(endedWords(h.why)))
	}
}

// A goneError is remote.ErrGone with the reason.
type goneError string

func (e goneError) Error() string { return string(e) }

func (goneError) Is(target error) bool { return target == remote.ErrGone }

// endedWords say why a container has ended, or why it has to: nobody knows what one does that says
// what none of ours would. The engine may have no more to say than that it has ended.
func endedWords(why error) string {
	f, failed := errors.AsType[*place.Failure](why)
	gone, ok := errors.AsType[goneError](why)
	switch {
	case ok:
		return string(gone)
	case failed && !f.IsSaid() && strings.HasPrefix(f.Text, "its container "):
		return f.Text
	case failed:
		return "its container has ended: " + f.Text
	case errors.Is(why, io.EOF): // it says that it ends, and why
		return "its container has ended: " + message(why)
	}
	return "the link to its container is broken: " + message(why)
}

// Close ends the container and returns when it is removed, or the engine does not remove it.
func (h *containerHost) Close() error {
	h.closing.Do(func() {
		if h.Host != nil {
			h.Host.Close()
		}
		h.dialer.Close()
		// Mostly it is gone with its input. Not so where the engine's program was killed, or has
		// not answered.
		removed, err := h.containers.image.Remove(h.containers.hurry, h.name)
		h.removed = len(removed) > 0
		if err != nil {
			h.containers.say("the container " + h.name + " may be left: " + err.Error())
		}
	})
	return nil
}
