package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

// openProxy returns what opens the proxies of sessions.
func openProxy() func(egress.List, func(*egress.Refusal)) (hostnative.ProxySession, error) {
	var config netproxy.Config
	if self, err := os.Executable(); err == nil {
		config.RelayCommand = []string{self, relayName}
	}
	proxy := netproxy.New(config)
	return func(list egress.List, refused func(*egress.Refusal)) (hostnative.ProxySession, error) {
		return proxy.Open(list, refused)
	}
}

const (
	relayName = "relay"
	relayHelp = `usage: terrarium relay HOST PORT

Connect standard input and output with a port of a host, through the proxy that
ALL_PROXY names: what ssh runs in a sandbox with --net.
`
)

// newRelay is what ssh runs in a sandbox to get through the proxy. People don't.
func newRelay() *cobra.Command {
	return &cobra.Command{
		Use:    relayName + " HOST PORT",
		Long:   relayHelp,
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return netproxy.Relay(args, os.Stdin, os.Stdout)
		},
	}
}
