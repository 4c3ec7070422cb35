// Package httpfetch fetches by HTTP for sandboxed commands: it is what answers
// terrarium_http_v0 (hostwasm/ABI.md) in the host, never in a worker. A program that
// gives its commands no network does not link it, nor net/http.
//
//	rule, err := egress.Parse("example.org:443") // package core/egress
//	…
//	list := egress.List{Rules: []egress.Rule{rule}}
//	proxy := netproxy.New(netproxy.Config{}) // package hostnative/netproxy
//	config.HTTP = httpfetch.New(httpfetch.Config{Dial: proxy.Dialer(list, nil)}) // of a hostwasm.Config
//
// # What happens to a request
//
// Each has a connection of its own, to an address that Config.Dial has decided on.
// TLS is opened here, with the certificates that this system trusts, and nobody can
// have that left out. Redirects are not followed: a guest asks again, and the rules
// with it. There are no cookies, no proxy, nothing of this program's environment,
// and no header is added but what HTTP itself needs. A guest may send any header,
// Host among them: a rule says where to connect to, and not what is said there.
//
// # Limits
//
// Bodies go through as they come, in pieces of 32 KiB, with the speed of who is
// slower. Their size, the time without a byte and the time in all are limited, as
// are the header's size and the requests at once: see [Config].
package httpfetch
