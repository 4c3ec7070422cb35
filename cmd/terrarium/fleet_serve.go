package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

const fleetServeHelp = `usage: terrarium fleet serve [flags]

Serves a fleet: a NATS server with JetStream, where workers and those who use
them connect. It prints how they do. A signal ends it; what waits for a worker
goes on waiting when it is started again.

  --listen ADDR     default: 127.0.0.1:4222. Other machines can connect only to
                    an ADDR that is not this machine's own, and that needs:
  --tls-cert FILE   a certificate, with those that it is signed by behind it
  --tls-key FILE    its key. Both are PEM
  --dir DIR         the keys, the tenants and what waits; default: the directory
                    terrarium/fleet in XDG_STATE_HOME, or in ~/.local/state
  --disk N          what may wait there, of all tenants: 1GiB
  --memory N        and in memory: 64MiB

A new DIR gets a tenant "default" with a worker and a user; "fleet tenant" makes
others. Who has a file of credentials is who it is for: keep DIR to yourself.
`

// fleetServeFlags are the flags of fleet serve.
type fleetServeFlags struct {
	addr         string
	cert, key    string
	dir          fleetDir
	disk, memory byteSize
}

func newFleetServe() *cobra.Command {
	f := fleetServeFlags{disk: 1 << 30, memory: 64 << 20}
	cmd := &cobra.Command{
		Use:                   "serve [flags]",
		Short:                 "serve a fleet: the NATS server, with its tenants",
		Long:                  fleetServeHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.serve(cmd.OutOrStdout())
		},
	}
	cmd.Flags().Var((*address)(&f.addr), "listen", "")
	cmd.Flags().StringVar(&f.cert, "tls-cert", "", "")
	cmd.Flags().StringVar(&f.key, "tls-key", "", "")
	cmd.Flags().Var(&f.disk, "disk", "")
	cmd.Flags().Var(&f.memory, "memory", "")
	cmd.MarkFlagFilename("tls-cert")
	cmd.MarkFlagFilename("tls-key")
	f.dir.add(cmd)
	return cmd
}

func (f *fleetServeFlags) check() error {
	switch {
	case (f.cert == "") != (f.key == ""):
		return errors.New("--tls-cert and --tls-key need each other")
	case f.disk == 0 || f.memory == 0:
		return errors.New("--disk and --memory: want more than nothing")
	}
	return nil
}

// serve serves the fleet until a signal comes.
func (f *fleetServeFlags) serve(out io.Writer) error {
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	defer signal.Stop(signals)
	dir, err := f.dir.path()
	if err != nil {
		return err
	}
	config := fleet.ServerConfig{Dir: dir, Addr: f.addr, Memory: int64(f.memory), Disk: int64(f.disk)}
	if config.TLS, err = f.tls(); err != nil {
		return err
	}
	if err := config.Check(); errors.Is(err, fleet.ErrPlain) {
		return fmt.Errorf("%w: --tls-cert and --tls-key", err)
	} else if err != nil {
		return err
	}
	if err := firstTenant(dir); err != nil {
		return err
	}
	server, err := fleet.Serve(config)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: a fleet may be served there already: --listen localhost:0 takes a free port", err)
	}
	if err != nil {
		return err
	}
	defer server.Close()
	if err := tellFleet(out, server.URL(), dir); err != nil {
		return err
	}
	s := <-signals
	return exitStatus(statusSignal + int(s.(syscall.Signal)))
}

// tls returns how the server proves who it is, or nil.
func (f *fleetServeFlags) tls() (*tls.Config, error) {
	if f.cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.cert, f.key, err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, nil
}

// firstTenant makes a tenant in a directory that has none.
func firstTenant(dir string) error {
	ctx := context.Background()
	tenants, err := fleet.OpenTenants(ctx, dir)
	if err != nil {
		return err
	}
	defer tenants.Close()
	list, err := tenants.List()
	if err != nil || len(list) > 0 {
		return err
	}
	return addTenant(ctx, tenants, fleet.DefaultTenant, fleet.Limits{}, []string{"user"}, []string{"worker"}, io.Discard)
}

// tellFleet prints how to join, by the default tenant's credentials if they are still there.
func tellFleet(w io.Writer, url, dir string) error {
	worker, user := "WORKER.creds", "USER.creds"
	if _, err := os.Stat(fleet.CredsFile(dir, fleet.DefaultTenant, "worker")); err == nil {
		worker, user = fleet.CredsFile(dir, fleet.DefaultTenant, "worker"), fleet.CredsFile(dir, fleet.DefaultTenant, "user")
	}
	_, err := fmt.Fprintf(w, `fleet at %s, state in %s
join: terrarium fleet join %[1]s --slots 8 --creds %[3]s
use:  NATS_CREDS=%[4]s terrarium run --on fleet:%[1]s --cwd / -- hostname
`, url, printable.Text(filepath.Clean(dir)), printable.Text(worker), printable.Text(user))
	return err
}
