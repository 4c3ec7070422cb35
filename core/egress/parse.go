package egress

import (
	"net/netip"
	"strconv"
	"strings"
)

// A RuleError says what is wrong with the text of a rule.
type RuleError struct {
	Rule string // the text; only its beginning, if it is long
	// Why is for a person at a shell, and begins with "it": "it is a URL: write example.org:443".
	Why string
}

func (e *RuleError) Error() string {
	return "egress: rule " + strconv.QuoteToASCII(e.Rule) + ": " + e.Why
}

// maxText is longer than any rule, in bytes.
const maxText = 300

// Parse reads what a person writes after --net. Its errors are *RuleError.
func Parse(text string) (Rule, error) {
	r, why := parse(text)
	if why != "" {
		return Rule{}, &RuleError{clip(text), why}
	}
	return r, nil
}

// clip shortens s, which may be huge.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return s[:maxText] + "..."
}

// quoteNumber quotes what should be a number of a few digits, and may be anything: a byte of it can
// take four.
func quoteNumber(s string) string {
	const most = 20
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.QuoteToASCII(s)
}

func parse(text string) (r Rule, why string) {
	if why := notOneHost(text); why != "" {
		return Rule{}, why
	}
	host, port, why := split(text)
	if why != "" {
		return Rule{}, why
	}
	if r, why = parseHost(host); why != "" {
		return Rule{}, why
	}
	if port != "" {
		if r.port, why = parsePort(port[1:]); why != "" {
			return Rule{}, why
		}
	}
	return r, r.useless()
}

// notOneHost says what a text is that is more, or less, than a host.
func notOneHost(text string) (why string) {
	switch {
	case text == "":
		return "it is empty: write HOST or HOST:PORT"
	case len(text) > maxText:
		return "it is longer than any name"
	case strings.Contains(text, "://"):
		return "it is a URL: write " + hostOf(text)
	case strings.ContainsAny(text, ", \t\r\n"):
		return "it has a comma or a blank: write a rule for each host"
	case strings.Contains(text, "@"):
		return "it has a user's name: leave out all up to the '@'"
	}
	return ""
}

// ports are those that the schemes of URLs stand for.
var ports = map[string]string{
	"http": ":80", "https": ":443", "ws": ":80", "wss": ":443", "ssh": ":22", "git": ":9418", "ftp": ":21",
}

// hostOf returns a rule for the host of a URL, or what one looks like.
func hostOf(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	for _, rule := range []string{rest + ports[strings.ToLower(scheme)], rest} {
		if r, why := parse(rule); why == "" { // rest has no slash, so it is no URL
			return r.String()
		}
	}
	return "HOST or HOST:PORT"
}

// split returns the host, without brackets, and the port with its colon or nothing.
func split(text string) (host, port, why string) {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		host, port, ok = strings.Cut(inside, "]")
		switch {
		case !ok:
			return "", "", "it has no ']'"
		case !strings.Contains(host, ":"):
			return "", "", "it has brackets, which are for IPv6 addresses only"
		case strings.HasPrefix(port, "/"):
			return "", "", "it has a prefix's length behind the brackets: write it in them, as in [fd00::/8]:443"
		case port != "" && port[0] != ':':
			return "", "", "it has something else than a port behind the brackets"
		}
		return host, port, ""
	}
	at := strings.LastIndexByte(text, ':')
	switch strings.Count(text, ":") {
	case 0:
		return text, "", ""
	case 1:
		return text[:at], text[at:], ""
	}
	if a, err := netip.ParseAddr(text[:at]); err == nil && a.Zone() == "" {
		if _, why := parsePort(text[at+1:]); why == "" {
			return "", "", "it may be read in two ways: write [" + text + "] for the address, or [" + text[:at] + "]" + text[at:] + " for a port of another"
		}
	}
	return text, "", ""
}

func parsePort(text string) (port uint16, why string) {
	n, err := strconv.ParseUint(text, 10, 16)
	switch {
	case text == "":
		return 0, "it has a colon and no port"
	case strings.Contains(text, "/"):
		return 0, whyPath
	case err != nil || text[0] == '0':
		return 0, "it has the port " + quoteNumber(text) + ": write one number from 1 to 65535"
	}
	return uint16(n), ""
}

const (
	whyPath = "it has a path: a rule is for a host and all that is there"
	whyAll  = "it would allow every host: name the hosts, as in example.org or *.example.org"
)

func parseHost(host string) (r Rule, why string) {
	text, length, isPrefix := strings.Cut(host, "/")
	a, err := netip.ParseAddr(text)
	switch {
	case err != nil && strings.Contains(text, ":"):
		return Rule{}, "it is no IPv6 address; with a port one is written as in [::1]:80"
	case err != nil && isPrefix:
		if _, wrong := clean(text); wrong.reason == ReasonAmbiguous {
			return Rule{}, wrong.why
		}
		return Rule{}, whyPath
	case err != nil:
		return parseName(text)
	case a.Zone() != "":
		return Rule{}, "it has a zone: leave out all from the '%' on"
	case a.Is4In6():
		return Rule{}, "it is an IPv4 address in the form of IPv6: write " + a.Unmap().String()
	}
	r.prefix = netip.PrefixFrom(a, a.BitLen())
	if isPrefix {
		if r.prefix, err = netip.ParsePrefix(host); err != nil {
			return Rule{}, "it has the prefix length " + quoteNumber(length) + ": write a number from 1 to " + strconv.Itoa(a.BitLen())
		}
	}
	switch masked := r.prefix.Masked(); {
	case r.prefix.Bits() == 0:
		return Rule{}, whyAll
	case masked != r.prefix:
		return Rule{}, "it has an address beyond its prefix: write " + Rule{prefix: masked}.String() + ", or the address alone"
	}
	return r, ""
}

func parseName(text string) (r Rule, why string) {
	if text == "*" || text == "*." {
		return Rule{}, whyAll
	}
	text, r.below = strings.CutPrefix(text, "*.")
	name, wrong := clean(text)
	switch {
	case wrong != fault{}:
		return Rule{}, wrong.why
	case r.below && len(name) > maxName-len("a."):
		return Rule{}, "it is so long that no name is below it"
	case r.below && !strings.Contains(name, ".") && !inside[name]:
		return Rule{}, "it would allow the hosts of anyone: name more than the last label"
	}
	r.name = name
	return r, ""
}

// inside are top-level domains in which nobody can buy a name: RFC 6761, RFC 6762, and ICANN's
// resolution 2024.07.29.06.
var inside = map[string]bool{localhost: true, "test": true, "local": true, "internal": true}

// useless says what else a rule needs to allow anything.
func (r Rule) useless() (why string) {
	if isLocal(r.name) && r.port == 0 {
		return whyLoopback
	}
	if !r.prefix.IsValid() {
		return ""
	}
	f, n := forms(r.prefix.Addr())
	for _, form := range f[:n] {
		b := blockOf(form.addr)
		switch {
		case r.prefix.Bits() < form.before+b.prefix.Bits():
		case b.reason.never():
			return "it is " + b.reason.what() + ", where no server is; this machine's own are at localhost:PORT"
		case b.reason == ReasonLoopback && r.port == 0:
			return whyLoopback
		}
	}
	return ""
}

const whyLoopback = "it has no port: each of this machine's is another service, so name one, as in localhost:5432"
