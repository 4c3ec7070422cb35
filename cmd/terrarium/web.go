package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/netutil"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/page"
	"github.com/terrarium-dev/terrarium/web"
)

const webHelp = `usage: terrarium web [flags]

Serves a page with agent terminals: the sandbox of "run --host wasm", in the
browser. What is typed there runs in the page, not on this machine, and reaches
none of its files. A signal ends it.

  --listen ADDR   default: 127.0.0.1:7575. Files that the page keeps belong to
                  its address: another port has others
  --allow-remote  ADDR may be other than this machine's own. Others can load
                  the page then, and run it on theirs

The browser: Chromium 137 or newer; Firefox 153 and Safari 27 are not tested.
`

// webFlags are the flags of web.
type webFlags struct {
	addr        string
	allowRemote bool
}

func newWeb() *cobra.Command {
	f := webFlags{addr: "127.0.0.1:7575"}
	cmd := &cobra.Command{
		Use:                   "web [flags]",
		Short:                 "serve the page: the sandbox in a browser",
		Long:                  webHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE:                  func(*cobra.Command, []string) error { return f.serve() },
	}
	cmd.Flags().Var((*address)(&f.addr), "listen", "")
	cmd.Flags().BoolVar(&f.allowRemote, "allow-remote", false, "")
	return cmd
}

// serve serves the page until a signal comes.
func (f *webFlags) serve() error {
	plugins := pagePlugins()
	handler, err := page.New(page.Config{
		Files: web.Files(), Made: plugins,
		IsOurs: (&listenFlags{addr: f.addr, allowRemote: f.allowRemote}).isOurs,
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", f.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: --listen localhost:0 takes a free port", err)
	}
	if err != nil {
		return err
	}
	if addr := listener.Addr().(*net.TCPAddr); !addr.IP.IsLoopback() && !f.allowRemote {
		listener.Close()
		return fmt.Errorf("listen on %s: others reach it: --allow-remote allows that", f.addr)
	}
	listener = netutil.LimitListener(listener, maxConns)
	go func() { // left behind when we exit
		for _, plugin := range plugins {
			plugin() // now, so that the first page need not wait
		}
	}()
	fmt.Fprintf(os.Stderr, "terrarium: the page is at http://%s/\n", listener.Addr())

	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	defer signal.Stop(signals)
	server := &http.Server{
		Handler: handler, MaxHeaderBytes: 64 << 10,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: pageTime, IdleTimeout: pageTime,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }() // ends with Shutdown
	select {
	case err := <-ended:
		return err
	case s := <-signals:
		ctx, cancel := context.WithTimeout(context.Background(), headerTime)
		defer cancel()
		server.Shutdown(ctx)
		return exitStatus(statusSignal + int(s.(syscall.Signal)))
	}
}

// maxConns is how many connections there may be at once; the next waits until one
// ends, which they do within pageTime. A browser has six.
const maxConns = 128

// pageTime is how long a file may take to go out, and a browser to ask for another.
const pageTime = time.Minute
