package main

import (
	"context"

	"github.com/terrarium-dev/terrarium/core/driver/audit"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/httpfetch"
)

// fetcher returns what fetches for commands of the sandbox from what --net lists, nil
// if that is nothing.
func (f *confineFlags) fetcher() (hostwasm.Fetcher, error) {
	rules, err := f.rules()
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	dial := netproxy.New(netproxy.Config{}).Dialer(egress.List{Rules: rules}, nil)
	return httpfetch.New(httpfetch.Config{
		Dial: dial, Done: recordFetch,
		Share: func(ctx context.Context) string { return string(hostwasm.SessionOf(ctx)) },
	}), nil
}

// recordFetch tells the record of a request, if there is one.
func recordFetch(ctx context.Context, r httpfetch.Record) {
	audit.TellFetched(ctx, audit.Fetched{
		Method: r.Method, URL: r.URL, Status: r.Status,
		Sent: r.Sent, Received: r.Received, Duration: r.Duration, Error: r.Error,
	})
}
