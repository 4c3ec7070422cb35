package netproxy

import (
	"net/url"
	"strings"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// Env returns the variables, as NAME=value, by which commands find the session and its password.
//
//   - HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, also in lower case, as some programs read only the
//     one and some only the other
//   - NO_PROXY, also in lower case: egress.NoProxy
//   - NODE_USE_ENV_PROXY, without which node reads none of these
//   - GIT_SSH_COMMAND, if Config.RelayCommand is set
//
// ALL_PROXY could be "socks5h://", for programs that speak other protocols than HTTP. But Python's
// httpx, which clients of many services are made with, reads it before it knows what it is needed
// for, and fails where its support of SOCKS is not installed. All who read ALL_PROXY understand
// "http://". A program that wants SOCKS is given the same address, user and password by its own
// options.
func (s *Session) Env() []string {
	proxy := (&url.URL{Scheme: "http", User: url.UserPassword(user, s.password), Host: s.addr.String()}).String()
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", relayVariable} {
		env = append(env, name+"="+proxy, strings.ToLower(name)+"="+proxy)
	}
	env = append(env, "NO_PROXY="+egress.NoProxy, "no_proxy="+egress.NoProxy, "NODE_USE_ENV_PROXY=1")
	if relay := s.proxy.config.RelayCommand; len(relay) > 0 {
		env = append(env, "GIT_SSH_COMMAND="+sshCommand(relay))
	}
	return env
}

// sshCommand returns the command of a shell by which ssh uses a relay. Three programs read it:
// git's shell, ssh, to which "%h" and "%p" are the host and the port and "%%" is "%", and ssh's
// shell.
func sshCommand(relay []string) string {
	var words []string
	for _, word := range relay {
		words = append(words, strings.ReplaceAll(escape(word), "%", "%%"))
	}
	return "ssh -o " + quote("ProxyCommand="+strings.Join(words, " ")+" %h %p")
}

// quote makes one word of s for a shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// escape makes one word of s for a shell, without quotes where it can: ssh refuses options in which
// it finds no end of one, and reads a backslash before a quote otherwise than shells do.
func escape(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+@%"
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n': // behind a backslash it would be nothing
			b.WriteString("'\n'")
			continue
		case c < 0x80 && strings.IndexByte(plain, c) < 0:
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
