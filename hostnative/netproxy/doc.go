// Package netproxy is a forward proxy on loopback: through it, commands in a sandbox reach the
// hosts that a person has listed, and no others. Those decisions are core/egress's.
//
// # One port, two protocols
//
// A [Session] is a list, a password and a port of 127.0.0.1. The port speaks HTTP (RFC 9110 and RFC
// 9112): CONNECT makes a tunnel, and other methods are for URLs that begin with "http://". It also
// speaks SOCKS 5 (RFC 1928), of which only CONNECT, with a user's name and password (RFC 1929). The
// first byte tells which: a client of SOCKS sends its version, and no method begins with it. No TLS
// is opened, and there is none between the command and the proxy.
//
// Each session has a port of its own: a command that opens all the connections that a port takes,
// and says nothing on them, holds up only itself. So the name of the user is the same for all, and
// the password, of 128 bits, tells the session's commands from other programs of this machine.
// Without it nothing is looked up and nothing is dialled.
//
// # What happens to a request
//
// The list decides on the host and the port. Then the name is looked up, once, and the list decides
// on each address that this gives. The addresses that it allows are dialled, one after the other,
// and no others: what the name leads to a moment later does not count. The proxy does not connect
// to its own ports, whatever a list has.
//
// A refusal is told in the answer: status 403, with the sentence of [egress.Refusal] as text and
// its reason in the header X-Terrarium-Refused, and in SOCKS the reply 2, "not allowed by ruleset".
// Most clients show neither the text nor the header of an answer to CONNECT, but some show the
// words behind the status, as Go and Python do; so the sentence is there too.
//
//	403  SOCKS 2            refused
//	502  SOCKS 4            the name could not be looked up
//	502  SOCKS 3, 4, 5      no address answers: network or host out of reach, or it refuses
//	504  SOCKS 4 (name), 6  it took too long
//	407  SOCKS status 1     the password is missing or wrong
//	503                     too many connections
//
// A plain request goes to a connection of its own, with the host of its URL, without the headers
// that are meant for the proxy, and without the user and password that a URL may have. Redirects
// and cookies are the client's business. Bodies go through as they come, and Upgrade works.
//
// # Limits
//
// The time for a greeting or header, the size of a header, the time to reach a host, the number of
// connections and the time that a tunnel may be silent are limited; see [Config]. Half of a tunnel
// may be closed: the other half goes on.
//
// The password is in the environment of the commands, so whoever can read that may use the proxy:
// at worst to reach what the list has.
//
// All methods may be called by several goroutines. A connection takes one or two goroutines, which
// the session waits for in Close.
package netproxy
