package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/lossy"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

const fleetJoinHelp = `usage: terrarium fleet join --slots N [flags] URL

Offers this machine to the fleet at URL, such as nats://HOST:4222. It runs what
"terrarium run --on fleet:URL" asks for. It only dials out.

  --slots N               sessions that it has at once
  --label NAME=VALUE      what it has, for who wants that; repeatable, 5 at most
  --name NAME             its name; default: as this machine, or with a number
  --engine docker|podman, --image IMAGE   run each session in a container of its
                          own, where all flags below hold: --cwd is a path in it
  --engine-flag FLAG      for the engine's run, in one word, repeatable:
                          --memory=2g; else it has the engine's network
  --creds FILE, --tls-ca FILE   who it is, unless NATS_CREDS names it, and whose
                          the server's certificate is
  --linger D              end a session that nobody is connected to; 1m
  --drain-timeout D       SIGTERM, ^C and "fleet drain" have it take no more and
                          end with its last session, or after D; 10m. A second
                          signal ends it at once
  --cwd DIR, --env NAME[=VALUE], --env-inherit, --sandbox LEVEL, --write DIR,
  --sandbox-required, --net HOST[:PORT], --socket PATH, --limit NAME=VALUE,
  --memory N, --host wasm, --mount DIR, --plugins DIR, --fuel N,
  --engine wazero|wasmtime, --deterministic, --in-process  as for "host serve"
  --policy                is refused: rules hold where a command is asked for
`

// fleetJoinFlags are the flags of fleet join.
type fleetJoinFlags struct {
	commandFlags
	accessFlags
	engineFlags
	slots   int
	labels  []string
	name    string
	linger  time.Duration
	drain   time.Duration
	policy  string
	offered fleet.Labels
	stderr  *lossy.Writer // nil until join
}

// For how long sessions are kept when a worker is to end.
const (
	defaultDrain = 10 * time.Minute
	maxDrain     = 7 * 24 * time.Hour
)

func newFleetJoinFlags() *fleetJoinFlags {
	f := &fleetJoinFlags{linger: time.Minute, drain: defaultDrain}
	f.starters = place.Engines()
	return f
}

func newFleetJoin() *cobra.Command {
	f := newFleetJoinFlags()
	cmd := &cobra.Command{
		Use:                   "join --slots N [flags] URL",
		Short:                 "offer this machine to a fleet",
		Long:                  fleetJoinHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			url, err := fleetURL(args, "nats://localhost:4222")
			if err := cmp.Or(err, f.checkJoin(), f.checkCwd()); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			a := f.access(url)
			if err := a.Check(); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			// Who does not read our standard error holds up nothing, and no signal: so main has
			// nothing to say.
			f.stderr = lossy.New(os.Stderr, "terrarium: here something is left out: nobody read it")
			defer f.stderr.Close()
			return exitStatus(report(f.stderr, f.join(a)))
		},
	}
	f.add(cmd)
	return cmd
}

func (f *fleetJoinFlags) add(cmd *cobra.Command) {
	f.addHost(cmd)
	f.accessFlags.add(cmd)
	f.engineFlags.add(cmd)
	f.set.StringVar(&f.cwd, "cwd", "", "")
	f.set.IntVar(&f.slots, "slots", 0, "")
	f.set.Var((*repeated)(&f.labels), "label", "")
	f.set.StringVar(&f.name, "name", "", "")
	f.set.Var((*duration)(&f.linger), "linger", "")
	f.set.Var((*duration)(&f.drain), "drain-timeout", "")
	f.set.StringVar(&f.policy, "policy", "", "")
	cmd.MarkFlagDirname("cwd")
}

// checkJoin says what is wrong with the flags, and fills in what was left out.
func (f *fleetJoinFlags) checkJoin() (err error) {
	switch {
	case f.set.Changed("policy"):
		return errors.New("--policy: a worker has no rules yet: they hold where a command is asked for; --sandbox and --limit hold here")
	case !f.set.Changed("slots"):
		return errors.New("fleet join needs --slots N")
	case f.slots < 1 || f.slots > fleet.MaxSlots:
		return fmt.Errorf("--slots %d: out of range: 1 to %d", f.slots, fleet.MaxSlots)
	case f.linger <= 0:
		return fmt.Errorf("--linger %v: want more than nothing", f.linger)
	case f.drain < 0:
		return fmt.Errorf("--drain-timeout %v: negative", f.drain)
	case f.drain > maxDrain:
		return fmt.Errorf("--drain-timeout %v: want at most %v", f.drain, maxDrain)
	}
	if f.offered, err = fleet.ParseLabels(f.labels); err != nil {
		return fmt.Errorf("--label: %w", err)
	}
	if f.name == "" {
		f.name = machineName()
	}
	if err := fleet.CheckName(f.name); err != nil {
		return fmt.Errorf("--name: %w", err)
	}
	return cmp.Or(f.checkEngine(), f.checkHost())
}

// checkCwd says why sessions could not have the directory that they are to have. It is looked at
// only where they run here: else it is one of an image, or of a pod.
func (f *fleetJoinFlags) checkCwd() error {
	if f.cwd == "" || f.image != "" || f.host != "native" {
		return nil
	}
	if err := checkDir(f.cwd); err != nil {
		return fmt.Errorf("--cwd: %w", err)
	}
	return nil
}

// machineName returns what this machine is called, as a fleet has names.
func machineName() string {
	name, _ := os.Hostname()
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	if fleet.CheckName(name) != nil {
		return "worker"
	}
	return name
}

// join runs what the fleet asks for until it is drained.
func (f *fleetJoinFlags) join(a fleet.Access) error {
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	defer signal.Stop(signals)
	startDefault()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	drain := make(chan func(), 1) // what the first signal does, once there is a worker
	go func() {                   // left behind when we exit
		end := func(s os.Signal) { cancel(exitStatus(statusSignal + int(s.(syscall.Signal)))) }
		s := <-signals
		select {
		case first := <-drain:
			go first() // left behind when we exit: the second signal does not wait for it
			end(<-signals)
		default:
			end(s)
		}
	}()
	a.Role = fleet.WorkerRole
	a.OnLink = func(lost error) { fmt.Fprintln(f.stderr, "terrarium: "+fleetLinkLine(a.URL, lost)) }
	client, err := a.Connect(ctx, "terrarium worker "+f.name)
	if err != nil {
		return err
	}
	defer client.Close()
	if !f.set.Changed("name") {
		if f.name, err = fleet.FreeName(ctx, client, f.name); err != nil {
			return err
		}
	}
	config := fleet.WorkerConfig{Client: client, Name: f.name, Slots: f.slots, Labels: f.offered, Lease: f.linger, Say: f.say}
	leave, err := f.openHosts(ctx, &config)
	if err != nil {
		return err
	}
	defer leave()
	worker, err := fleet.NewWorker(config)
	if err != nil {
		return err
	}
	drain <- func() {
		kept := worker.Drain(f.drain)
		if kept == 0 {
			f.say("is to end: it takes no more sessions, and has none")
			return
		}
		f.say(fmt.Sprintf("is to end: it takes no more sessions, and keeps the %d that it has for %v", kept, f.drain))
	}
	return worker.Run(ctx)
}

// fleetLinkLine tells a person what has become of the connection to a fleet's server.
func fleetLinkLine(url string, lost error) string {
	if lost == nil {
		return fmt.Sprintf("fleet:%s: resumed", printable.Text(url))
	}
	return fmt.Sprintf("fleet:%s: reconnecting: %s", printable.Text(url), message(lost))
}

// openHosts opens what sessions run on.
func (f *fleetJoinFlags) openHosts(ctx context.Context, c *fleet.WorkerConfig) (leave func(), err error) {
	if f.containers != nil {
		c.Open, c.Ready = f.containers.open, f.containers.ready
		return f.containers.start(ctx, c.Client, f.name, f.farEngine())
	}
	host, err := f.openFar(ctx)
	if err != nil {
		return nil, err
	}
	c.Host = host
	return func() { host.Close() }, nil
}

// say tells whoever has started the worker, in a line.
func (f *fleetJoinFlags) say(line string) {
	fmt.Fprintf(f.stderr, "terrarium: worker %s: %s\n", f.name, printable.Text(line))
}
