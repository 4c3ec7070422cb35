// Package egress decides where a sandboxed command may connect to. Its rules are what a person
// writes after --net; it is asked with host names, ports and addresses, and it dials nothing.
//
// # Rules
//
//	example.org              the host, on the ports 80 and 443
//	example.org:22           the host, on this port
//	*.example.org            all hosts below example.org, however deep, but not example.org
//	203.0.113.7:8080         an address
//	[2001:db8::7]:8080       an IPv6 address; without a port the brackets may be left out
//	10.0.0.0/8:5432          the addresses with a prefix; IPv6: [fd00::/8]:5432
//	localhost:5432           127.0.0.1 and ::1
//
// What no rule names is refused. Without a port a rule means the two ports of the web: a host that
// is trusted to serve packages need not be one to send mail through, and one rule to remember is
// better than one for each kind of host. Only loopback must have its port named, for there every
// port is another service.
//
// Names are ASCII: one with other letters is written as DNS has it, "xn--bcher-kva.example".
// Underscores are taken, for hosts have them although RFC 1123 does not; a hyphen at the beginning
// or end of a label is not. Upper case and one dot at the end make no difference. A wildcard is the
// whole first label, and what follows has at least two, as "*.com" is anyone's; "*" alone and a
// prefix of length 0 are refused, for they are no rules. IPv4 addresses are four decimal numbers
// without leading zeros, since some programs read those as octal. An address has no zone.
//
// # Two decisions
//
// A proxy asks twice. [List.Host] takes the host and the port that a command asks for, before
// anything is looked up: looking up a name already tells it to others. A name that may be read as
// an address, as "127.1" and "0x7f.1" are by many programs, is refused whatever the rules are. Then
// the name is looked up once, [List.Address] takes each address that it leads to, and the very
// address that it returns is dialled: a second look-up might lead elsewhere. Whoever sees only the
// address, at connect(2), asks [List.Direct]; then rules with names don't count.
//
// A name's owner says where it leads. So a name leads to public addresses only. An address that is
// refused has to be listed by a rule of its own, for the same port; "listed" means that the rule
// lies within the refused range, as 10.0.0.0/8 and 10.1.2.3 do in 10.0.0.0/8. A rule that is wider,
// such as 0.0.0.0/1, lists public addresses only. Refused are
//
//   - loopback (127.0.0.0/8, ::1)
//   - addresses of this machine, which the caller knows: services that listen everywhere
//     answer there
//   - link-local ones (169.254.0.0/16, fe80::/10)
//   - those where clouds hand out credentials, such as 169.254.169.254, which no wider rule lists
//   - private ones (RFC 1918, fc00::/7): what is there often trusts whoever can reach it, and a
//     person who wants it knows its addresses; and with them site-local ones (fec0::/10)
//   - those shared by carriers and overlay networks (100.64.0.0/10)
//   - those that are reserved, for documentation and benchmarks too, and all of IPv6 that is not in
//     use
//   - without a way to list them, as no server has one: 0.0.0.0 and ::, which reach loopback by
//     another name, multicast and broadcast
//
// An IPv6 address that carries an IPv4 address is both: IPv4-mapped ones (::ffff:0:0/96) are the
// IPv4 address and nothing else; IPv4-compatible ones (::/96), NAT64 (64:ff9b::/96), 6to4
// (2002::/16), Teredo (2001::/32, the server's and the client's) and ISATAP (::5efe:a.b.c.d below
// any prefix) are refused if either is.
//
// localhost and names below it are not looked up, but are 127.0.0.1 and ::1 by definition (RFC
// 6761, 6.3). So a rule for one allows the other.
//
// # Limits
//
// A rule says where to connect to and not what is said there. A host that serves many, such as a
// content network, may answer for names that no rule has. What is allowed also has a way out: an
// allowed host may take whatever it is sent.
//
// Nothing here does I/O. Functions take time linear in their text and the number of rules.
package egress
