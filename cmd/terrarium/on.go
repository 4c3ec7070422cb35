package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

const onHelp = `Elsewhere: terrarium run|serve|proxy|client|harness --on PLACE

Commands run at PLACE; screens, rules and records are here. PLACE is:
  ssh:HOST                ssh, with your ~/.ssh/config: ssh:ada@box
  docker:NAME, podman:NAME, kubectl:POD[/CONTAINER]   as docker exec -i NAME
  exec:COMMAND            what starts what stands behind it: "exec:runc exec x"
  fleet:URL               a worker of a fleet: fleet:nats://HOST:4222
  --creds FILE, --tls-ca FILE   fleet: who you are, unless NATS_CREDS names it,
                          and whose the server's certificate is
  --label NAME=VALUE      fleet: what the worker has to have; repeatable
  --place-timeout D       fleet: how long to wait for a free slot; 1m
  --cwd DIR               a directory over there; default: the one named as ours
  --workspace DIR         hand DIR over, and run there; git's ignored files stay
                          here. "terrarium workspace pull" takes changes back
  --workspace-limit N     hand over more than that only if you agree; 256MiB
  --workspace-git DIR     a repository elsewhere whose history may go over, too
  --no-install            else, if PATH has no terrarium there, ours is copied

--host, --sandbox, --limit and what they need hold over there; workers of fleets
have their own. Of our environment only --env goes there. A broken connection is
made again, and commands go on. After ten minutes (fleet: 1) they are lost, and
run exits with 125. What a place says of its sandbox is no more than that: rules
with "inside" hold only where your policy file has trusted = ["ssh:box"].
`

// placeFlags say that commands run elsewhere.
type placeFlags struct {
	on        string
	noInstall bool
	fleet     fleetFlags
	place     *place.Place // nil: they run here
	links     links        // hear of the connection
	program   string       // of ours over there; "" is what its PATH has
	quietLoss bool         // who is told by links sees what commands write, too
	workspaceFlags
}

// addOn declares them.
func (f *placeFlags) addOn(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.on, "on", "", "")
	cmd.Flags().BoolVar(&f.noInstall, "no-install", false, "")
	f.fleet.add(cmd)
	f.addWorkspace(cmd)
	cmd.RegisterFlagCompletionFunc("on", cobra.FixedCompletions(place.Prefixes(), cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
}

// parse says what is wrong with the flags.
func (f *placeFlags) parse(set *pflag.FlagSet) (err error) {
	if err := f.workspaceFlags.check(set); err != nil {
		return err
	}
	switch {
	case !set.Changed("on") && f.noInstall:
		return errors.New("--no-install needs --on")
	case !set.Changed("on"):
		return f.fleet.parse(set, nil)
	}
	f.place, err = place.Parse(f.on)
	switch {
	case err != nil && strings.HasPrefix(f.on, "fleet:"): // like other mistakes in a fleet's URL
		return fmt.Errorf("--on %s: %w", place.Shown(f.on), err)
	case err != nil:
		return &failure{statusOurs, fmt.Errorf("--on %s: %w", place.Shown(f.on), err)}
	}
	if err := f.fleet.parse(set, f.place); err != nil { // the URL may have a password in it
		return fmt.Errorf("--on fleet: %w", err)
	}
	return nil
}

// checkThere says which flags name what can't be over there: a path is one of that machine, and
// starts at its root. flag is why they are over there.
func (f *commandFlags) checkThere(flag string) error {
	dirs := map[string][]string{"mount": f.mounts, "plugins": f.plugins, "write": f.confine.write, "socket": f.confine.sockets}
	if f.cwd != "" {
		dirs["cwd"] = []string{f.cwd}
	}
	for _, name := range []string{"cwd", "mount", "plugins", "write", "socket"} {
		for _, dir := range dirs[name] {
			if !path.IsAbs(dir) {
				return fmt.Errorf("--%s %s: with %s it is a path over there: want one that begins with /", name, dir, flag)
			}
		}
	}
	return nil
}

// farArgs are the flags that the host over there is given.
func (f *commandFlags) farArgs(c *core.Command) (args []string) {
	add := func(name string, values ...string) {
		for _, value := range values {
			args = append(args, "--"+name, value)
		}
	}
	set := func(name string) {
		if f.set.Changed(name) {
			add(name, f.set.Lookup(name).Value.String())
		}
	}
	is := func(name string, on bool) {
		if on {
			args = append(args, "--"+name)
		}
	}
	set("host")
	set("engine")
	add("mount", f.mounts...)
	add("plugins", f.plugins...)
	add("limit", f.limits.args()...)
	set("fuel")
	is("deterministic", f.deterministic)
	is("in-process", f.inProcess)
	is("sandbox-required", f.required)
	if f.confine.confines() {
		add("sandbox", f.confine.level)
	}
	add("write", f.confine.write...)
	add("net", f.confine.net...)
	add("socket", f.confine.sockets...)
	is("env-inherit", f.inherit && f.host == "native")
	if c.Cwd != "" && f.confine.confines() {
		add("cwd", c.Cwd) // what --sandbox lets them write
	}
	return args
}

// openPlace returns the host of commands at the place.
func (f *commandFlags) openPlace(c *core.Command) (closingHost, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	notifyEnd(signals)
	defer signal.Stop(signals)
	returned := make(chan struct{})
	defer close(returned)
	go func() { // ends when we return
		select {
		case s := <-signals:
			first := s.(syscall.Signal)
			cancel(exitStatus(statusSignal + int(first)))
			hurryAtNext(signals, returned, first, func() {}, f.leavePlace)
		case <-returned:
		}
	}()
	err := f.handOver(ctx, c)
	if err == nil && f.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, f.timeout, &failure{
			statusTimeout, fmt.Errorf("timed out after %v, before there was a connection to %s", f.timeout, f.place),
		})
		defer stop()
	}
	var h *placeHost
	if err == nil {
		h, err = f.reach(ctx, f.farArgs(c))
	}
	switch {
	case ctx.Err() != nil:
		if err == nil {
			h.Close()
		}
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &failure{statusOurs, err}
	}
	h.work = f.work
	if f.cwd == "" && f.work == nil {
		h.cwd = c.Cwd
	}
	return h, nil
}

// leavePlace ends the programs that carry connections to a place, since nobody waits until they end
// by themselves.
func (f *placeFlags) leavePlace() {
	if f.place != nil {
		f.place.Kill()
	}
}

// reach connects with a host over there that has those flags. Where there is no terrarium, or an
// older one, ours is copied.
func (f *placeFlags) reach(ctx context.Context, args []string) (_ *placeHost, err error) {
	if _, ok := f.place.Fleet(); ok {
		return f.reachWorker(ctx)
	}
	// The name is nobody's: it has the next connection find what the last one has left.
	far := []string{cmp.Or(f.program, "terrarium"), "host", "serve", "--stdio", "--keep", "near-" + strings.ToLower(rand.Text())}
	h := &placeHost{place: f.place, links: &f.links, dialer: &place.Dialer{
		Place: f.place, Far: append(far, args...),
		Said: f.links.show,
	}}
	waits := f.tellSlow(h.dialer)
	defer waits.Stop()
	defer func() {
		if err == nil {
			return
		}
		if ctx.Err() == nil { // else the program is not why
			f.tellBeside(err)
		}
		h.Close()
	}()
	err = h.connect(ctx, f)
	if !errors.Is(err, place.ErrMissing) && !errors.Is(err, place.ErrVersion) {
		return h, err
	}
	if err := f.replace(ctx, err, func() { waits.Stop() }); err != nil {
		return nil, err
	}
	h.dialer.Far[0] = f.program
	if err = h.connect(ctx, f); errors.Is(err, place.ErrMissing) {
		err = fmt.Errorf("%s: the copy of this program does not run there: it may be built for another C library, and CGO_ENABLED=0 builds one for any", f.place)
	}
	return h, err
}

// replace puts this program in the place of one that is missing over there, or is of another
// version, as why says. It calls begun when it shows how far that is.
func (f *placeFlags) replace(ctx context.Context, why error, begun func()) (err error) {
	if f.noInstall {
		return fmt.Errorf("%w: put this one into its PATH, or do without --no-install", why)
	}
	f.program, err = f.install(ctx, begun)
	return err
}

// install copies this program to the place, and returns its path there.
func (f *placeFlags) install(ctx context.Context, begun func()) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	shown := newProgress(os.Stderr, "copying terrarium to "+f.place.String(), 0)
	defer shown.end()
	copying := sync.OnceFunc(func() {
		begun()
		if !isTerminal(os.Stderr) {
			fmt.Fprintf(os.Stderr, "terrarium: copying terrarium to %s, which has none or another version\n", f.place)
		}
	})
	// What is called only if the copy is not there yet.
	return f.place.Install(ctx, self, func(sent, all int64) {
		copying()
		shown.size = all
		shown.at(sent)
	})
}

// A placeHost has commands run at a place.
type placeHost struct {
	*remote.Host
	place  *place.Place
	dialer *place.Dialer // nil in a fleet
	leave  func()        // gives the place in a fleet up; or nil
	links  *links        // who tells of the connection
	cwd    string        // where they run if nobody has said so, or ""
	work   *handed       // what was handed over, or nil
}

// tellBeside tells a person what the program of a place has said besides what err has.
func (f *placeFlags) tellBeside(err error) {
	failure, ok := errors.AsType[*place.Failure](err)
	if !ok {
		return
	}
	for _, line := range failure.Beside {
		f.links.show(place.Says(printable.Text(f.place.String()), line))
	}
}

// longConnect is when a person is told that there is no connection yet. Who types a password may
// take as long.
const longConnect = 10 * time.Second

// tellSlow tells a person then, unless it is stopped before, and what the program says.
func (f *placeFlags) tellSlow(d *place.Dialer) *time.Timer {
	return time.AfterFunc(longConnect, func() {
		line := fmt.Sprintf("%s: still connecting: no answer within %v", printable.Text(f.place.String()), longConnect)
		if said := d.LastSaid(); said != "" {
			line += "; it says: " + said
		}
		f.links.show(line)
	})
}

func (h *placeHost) connect(ctx context.Context, f *placeFlags) error {
	host, err := remote.Connect(ctx, remote.Config{
		Dial: h.dialer.Dial, QuietLoss: f.quietLoss,
		OnState: func(s remote.State) {
			if s.Link == remote.Resumed {
				h.dialer.Made()
			}
			f.links.tell(h.place.String(), s)
		},
	})
	if err != nil {
		return h.dialer.Explain(ctx, err)
	}
	h.Host = host
	h.dialer.Made()
	return nil
}

// Resolve implements driver.Host.
func (h *placeHost) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	roots := c.Roots
	c = h.work.there(c)
	e, err := h.Host.Resolve(ctx, c)
	if h.work != nil && err == nil {
		e.Command.Roots = append(e.Command.Roots, roots...) // a project's rules are looked for here
	}
	if refused, ok := errors.AsType[*core.HostError](err); ok && c.Cwd == h.cwd && h.cwd != "" {
		if at, ok := errors.AsType[*fs.PathError](err); ok && at.Op == "cwd" {
			return e, &core.HostError{
				Reason: refused.Reason, Err: refused.Err,
				Message: h.place.String() + ": " + refused.Message + ": --cwd names a directory over there",
			}
		}
	}
	return e, err
}

// Close ends all that runs there, and the connection. What was told of that is printed then, unless
// nobody reads it.
func (h *placeHost) Close() error {
	var err error
	if h.Host != nil {
		err = h.Host.Close()
	}
	if h.dialer != nil {
		h.dialer.Close()
	}
	if h.leave != nil {
		h.leave()
	}
	briefly(leaveTime, h.links.flush)
	return err
}

// args returns the limits as --limit has them.
func (f *limitFlags) args() (args []string) {
	for _, l := range limitNames {
		text := l.value(f).String()
		if text == "0" || text == "0s" {
			continue
		}
		if l.name == "processes" && f.ifPossible {
			text += ":if-possible"
		}
		args = append(args, l.name+"="+text)
	}
	return slices.Clip(args)
}
