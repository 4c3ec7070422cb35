package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// accessFlags say who we are to a fleet's server.
type accessFlags struct {
	creds, ca string
}

func (f *accessFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.creds, "creds", "", "")
	cmd.Flags().StringVar(&f.ca, "tls-ca", "", "")
	cmd.MarkFlagFilename("creds")
	cmd.MarkFlagFilename("tls-ca")
}

// access returns how the server at the URL is reached. Like the programs of NATS we take
// credentials from NATS_CREDS: what stands in a command line or a URL can be read by others.
func (f *accessFlags) access(url string) fleet.Access {
	a := fleet.Access{URL: url, Creds: f.creds, CA: f.ca}
	if a.Creds == "" {
		a.Creds = os.Getenv("NATS_CREDS")
	}
	return a
}

// fleetFlags say which worker of a fleet runs commands.
type fleetFlags struct {
	accessFlags
	labels  []string
	timeout time.Duration

	wanted fleet.Labels
}

// defaultPlaceTimeout is how long somebody waits for a free slot.
const defaultPlaceTimeout = time.Minute

func (f *fleetFlags) add(cmd *cobra.Command) {
	f.accessFlags.add(cmd)
	f.timeout = defaultPlaceTimeout
	cmd.Flags().Var((*repeated)(&f.labels), "label", "")
	cmd.Flags().Var((*duration)(&f.timeout), "place-timeout", "")
}

// workersOwn are flags of the host that a worker has its own of.
var workersOwn = []string{
	"no-install", "host", "engine", "mount", "plugins", "limit", "memory", "fuel", "deterministic", "in-process",
	"sandbox-required", "sandbox", "write", "net", "socket", "env-inherit",
}

// parse says what is wrong with the flags. p is nil where commands run here.
func (f *fleetFlags) parse(set *pflag.FlagSet, p *place.Place) (err error) {
	url, in := "", false
	if p != nil {
		url, in = p.Fleet()
	}
	if !in {
		for _, name := range []string{"creds", "tls-ca", "label", "place-timeout"} {
			if set.Changed(name) {
				return fmt.Errorf("--%s needs --on fleet:URL", name)
			}
		}
		return nil
	}
	if set.Lookup("place-timeout") == nil { // as of workspace pull
		return errors.New("no worker of a fleet takes a workspace yet")
	}
	for _, name := range workersOwn {
		if set.Changed(name) {
			return fmt.Errorf("--%s: a worker has its own: it is a flag of terrarium fleet join", name)
		}
	}
	if set.Changed("workspace") {
		return errors.New("--workspace: no worker of a fleet takes one yet")
	}
	if f.wanted, err = fleet.ParseLabels(f.labels); err != nil {
		return fmt.Errorf("--label: %w", err)
	}
	if f.timeout <= 0 || f.timeout > fleet.MaxPlaceTimeout {
		return fmt.Errorf("--place-timeout %v: out of range: more than nothing, at most %v", f.timeout, fleet.MaxPlaceTimeout)
	}
	a := f.access(url)
	return a.Check()
}

// drainLine tells a person that their worker drains.
func drainLine(p *place.Place, worker, within string) string {
	return printable.Text(fmt.Sprintf("%s: worker %s is to end: it takes no new sessions, and keeps this one for %s", p, worker, within))
}

// reachWorker has a worker of the fleet run commands.
func (f *placeFlags) reachWorker(ctx context.Context) (*placeHost, error) {
	url, _ := f.place.Fleet()
	a := f.fleet.access(url)
	a.Role = fleet.UserRole
	client, err := a.Connect(ctx, "terrarium --on")
	if err != nil {
		return nil, err
	}
	h := &placeHost{place: f.place, links: &f.links, leave: client.Close}
	waiting, cancel := context.WithTimeout(ctx, f.fleet.timeout)
	defer cancel()
	at, err := fleet.NewPlace(waiting, fleet.PlaceConfig{
		Client: client, Labels: f.fleet.wanted,
		OnWait: func(words string) {
			fmt.Fprintf(os.Stderr, "terrarium: %s: waiting for a place: %s\n", printable.Text(f.place.String()), printable.Text(words))
		},
		OnDrain: func(worker, within string) {
			f.links.warn(drainLine(f.place, worker, within))
		},
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no place within %v: %w: --place-timeout waits longer", f.fleet.timeout, err)
	}
	if err != nil {
		h.Close()
		return nil, fmt.Errorf("%s: %w", f.place, err)
	}
	h.leave = func() {
		at.Close()
		client.Close()
	}
	h.Host, err = remote.Connect(ctx, remote.Config{
		Dial: at.Dial, QuietLoss: f.quietLoss,
		OnState: func(s remote.State) { f.links.tell(f.place.String(), s) },
	})
	if err != nil {
		h.Close()
		return nil, fmt.Errorf("%s: worker %s: %w", f.place, at.Worker(), err)
	}
	return h, nil
}
