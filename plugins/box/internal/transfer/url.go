package transfer

import "strings"

// A location is a URL taken apart as far as it matters without a network.
type location struct {
	scheme string
	host   string
	port   string
	path   string // with its query
}

// parseURL reads a URL; without a scheme it is one of http. It is false for what is none.
func parseURL(s string) (location, bool) {
	l := location{scheme: "http"}
	rest := s
	if scheme, after, ok := strings.Cut(s, "://"); ok && scheme != "" && !strings.ContainsAny(scheme, "/?#@:") {
		l.scheme, rest = strings.ToLower(scheme), after
	}
	if strings.ContainsAny(s, " \t\n\r") {
		return l, false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end]
	l.path, _, _ = strings.Cut(rest[end:], "#")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	l.host = authority
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		l.host, l.port = authority[:i], authority[i+1:]
	}
	if strings.Trim(l.port, "0123456789") != "" {
		return l, false
	}
	return l, l.host != "" || l.scheme == "file"
}

// address reports whether the host needs no resolving, so that connecting is what fails.
func (l location) address() bool {
	return l.host == "localhost" || strings.HasPrefix(l.host, "[") || strings.Trim(l.host, "0123456789.") == ""
}

// unescape undoes %20 and the like.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && digit(s[i+1]) >= 0 && digit(s[i+2]) >= 0 {
			b.WriteByte(byte(digit(s[i+1])<<4 | digit(s[i+2])))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func digit(c byte) int { return strings.IndexByte("0123456789abcdef", c|0x20) }
