package main

import (
	"context"
	"net"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/httpfetch"
)

// fetches has commands of the sandbox fetch from what --net lists, and one command from
// what it was granted besides.
func (f *confineFlags) fetches(config *hostwasm.Config) error {
	rules, err := f.rules()
	if err != nil || config.Deterministic {
		return err
	}
	a := allowance{rules, netproxy.New(netproxy.Config{})}
	config.Bounds = a.bounds
	config.HTTP = httpfetch.New(httpfetch.Config{
		Dial: a.dial, Done: recordFetch,
		Share: func(ctx context.Context) string { return string(hostwasm.SessionOf(ctx)) },
	})
	return nil
}

// An allowance is where commands of the sandbox may fetch from.
type allowance struct {
	rules []egress.Rule // of all commands
	proxy *netproxy.Proxy
}

// bounds is the Bounds of a hostwasm.Config.
func (a allowance) bounds(b *core.Bounds) (terms string, fetches bool, err error) {
	if b == nil {
		return "", len(a.rules) > 0, nil
	}
	if b.Sandbox != "" {
		return "", false, b.Unsupported()
	}
	rules, err := a.besides(b.Net)
	var all []string
	for _, r := range rules {
		all = append(all, "connecting to "+r.String())
	}
	return strings.Join(all, ", "), len(a.rules)+len(rules) > 0, err
}

// besides returns the rules that not all commands have.
func (a allowance) besides(hosts []string) (rules []egress.Rule, err error) {
	for _, host := range hosts {
		r, err := egress.Parse(host)
		if err != nil {
			return nil, &core.InvalidError{Param: "net", Reason: "not_a_host", Value: strings.TrimPrefix(err.Error(), "egress: rule ")}
		}
		if !slices.Contains(a.rules, r) && !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	return rules, nil
}

// dial is the Dial of a httpfetch.Config.
func (a allowance) dial(ctx context.Context, host string, port uint16) (net.Conn, error) {
	rules, err := a.besides(hostwasm.NetOf(ctx))
	if err != nil {
		return nil, err
	}
	list := egress.List{Rules: slices.Concat(a.rules, rules)}
	return a.proxy.Dialer(list, nil)(ctx, host, port)
}

// recordFetch tells the record of a request, if there is one.
func recordFetch(ctx context.Context, r httpfetch.Record) {
	audit.TellFetched(ctx, audit.Fetched{
		Method: r.Method, URL: r.URL, Status: r.Status,
		Sent: r.Sent, Received: r.Received, Duration: r.Duration, Error: r.Error,
	})
}
