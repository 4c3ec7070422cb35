package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/trypipe"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

const hostServeHelp = `usage: terrarium host serve --stdio [flags]

Runs the commands of a terrarium at the other end of standard input and output:
what "terrarium run --on ssh:HOST" starts over there. The end of the input, or a
signal, ends all that it runs, unless it is kept.

  --stdio                 speak to it on standard input and output
  --keep NAME             have a process of its own run the commands, which goes
                          on when the connection breaks; the next one with NAME
                          and these flags finds it; see "host list", "host stop"
  --linger D              kill what has had no connection for so long; 10m
  --cwd DIR               where commands run that do not say, and what --sandbox
                          lets them write; default: here
  --env NAME[=VALUE]      a variable under those of the command; or pass ours on
  --env-inherit           commands see all our variables, secrets too
  --limit NAME=VALUE, --memory N   see "terrarium help limits"
  --sandbox LEVEL, --sandbox-required, --write DIR, --net HOST[:PORT],
  --socket PATH           see "terrarium help native"
  --host wasm, --mount DIR, --plugins DIR, --engine NAME, --fuel N,
  --deterministic, --in-process   see "terrarium help sandbox"

Who may start commands, and what is kept of them, is decided at the other end.
`

// hostServeFlags are the flags of host serve.
type hostServeFlags struct {
	commandFlags
	stdio  bool
	keep   string
	linger time.Duration
}

// defaultLinger is for how long a session is kept without a connection.
const defaultLinger = 10 * time.Minute

func newHostServe() *cobra.Command {
	f := hostServeFlags{linger: defaultLinger}
	cmd := &cobra.Command{
		Use:                   "serve --stdio [flags]",
		Short:                 "run the commands of who is at the other end of our input and output",
		Long:                  hostServeHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			beUndumpable() // our streams are not for commands, not even with --env-inherit
			if err := f.checkServe(); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			switch {
			case os.Getenv(holderVariable) != "":
				return f.hold()
			case isTerminal(os.Stdin):
				return &failure{statusUsage, errors.New(`host serve is for a program, and our input is a terminal: "terrarium run --on ssh:HOST" starts it over there`)}
			case f.keep != "":
				return f.relay()
			}
			return f.serve()
		},
	}
	f.addHost(cmd)
	f.set.StringVar(&f.cwd, "cwd", "", "")
	f.set.BoolVar(&f.stdio, "stdio", false, "")
	f.set.StringVar(&f.keep, "keep", "", "")
	f.set.Var((*duration)(&f.linger), "linger", "")
	cmd.MarkFlagDirname("cwd")
	return cmd
}

// checkServe says what is wrong with the flags.
func (f *hostServeFlags) checkServe() error {
	switch {
	case !f.stdio:
		return errors.New("host serve needs --stdio")
	case f.set.Changed("linger") && f.keep == "":
		return errors.New("--linger needs --keep")
	case f.linger <= 0:
		return fmt.Errorf("--linger %v: want more than nothing", f.linger)
	}
	if f.set.Changed("keep") {
		if err := checkKeptName(f.keep); err != nil {
			return fmt.Errorf("--keep: %w", err)
		}
	}
	return f.checkHost()
}

// serve runs commands for the other end until it has left, or a signal comes.
func (f *hostServeFlags) serve() error {
	ctx, cancel := untilSignal()
	defer cancel()
	host, err := f.openFar(ctx)
	if err != nil {
		return err
	}
	defer host.Close()
	server := remote.NewServer(remote.ServerConfig{Host: host})
	err = serveStdio(ctx, server)
	server.Close() // which tells the other end, if it still can
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// openFar returns the host of commands that somebody has from elsewhere, as the flags say.
func (f *commandFlags) openFar(ctx context.Context) (closingHost, error) {
	var c core.Command
	var err error
	if c.Env, err = f.variables(); err != nil {
		return nil, err
	}
	if c.Cwd, err = f.dir(); err != nil {
		return nil, err
	}
	if c.Cwd != "" && f.host == "native" {
		if err := checkDir(c.Cwd); err != nil {
			return nil, fmt.Errorf("--cwd: %w", err)
		}
	}
	host, err := f.open(&c, 0)
	if err != nil {
		return nil, err
	}
	return newFarHost(ctx, host, c), nil
}

// A farHost gives commands what they do not say, and compiles what they will need.
type farHost struct {
	closingHost
	cwd       string
	env       []core.EnvVariable
	cancel    context.CancelFunc
	preparing sync.WaitGroup
}

func newFarHost(ctx context.Context, host closingHost, c core.Command) *farHost {
	h := &farHost{closingHost: host, cwd: c.Cwd, env: c.Env}
	ctx, h.cancel = context.WithCancel(ctx)
	h.preparing.Go(func() { prepare(ctx, host) })
	return h
}

// Resolve implements driver.Host.
func (h *farHost) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	c.Cwd = cmp.Or(c.Cwd, h.cwd)
	c.Env = append(slices.Clip(h.env), c.Env...)
	return h.closingHost.Resolve(ctx, c)
}

// Close ends what still runs.
func (h *farHost) Close() error {
	h.cancel()
	h.preparing.Wait()
	return h.closingHost.Close()
}

// serveStdio has a server speak on our standard input and output until that ends, or ctx does. The
// error is nil where the other end has left.
func serveStdio(ctx context.Context, server *remote.Server) error {
	out := os.Stdout
	if fd := reopenPipe(syscall.Stdout, syscall.O_WRONLY); fd >= 0 {
		out = os.NewFile(uintptr(fd), os.Stdout.Name())
	}
	conn := &stdioConn{Reader: peerInput(), Writer: trypipe.NewWriter(out), closed: make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(conn) }() // left behind where nothing ends a Read or Write
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		return nil
	case <-conn.closed:
		select {
		case err = <-served:
		case <-time.After(closeTime):
			err = errors.New("the other end has stopped to read, or to write")
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// A stdioConn is our standard input and output as one stream. Nothing ends a Read or a Write that
// waits there, so who waits for them waits for closed, too.
type stdioConn struct {
	io.Reader
	trypipe.Writer
	closing sync.Once
	closed  chan struct{}
}

// Read implements io.Reader.
func (c *stdioConn) Read(p []byte) (int, error) { return c.Reader.Read(p) }

// Close implements io.Closer.
func (c *stdioConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}
