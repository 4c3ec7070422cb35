package place

import (
	"fmt"
	"strings"
)

// ssh is OpenSSH's client, with the user's ~/.ssh/config and agent. HOST may be USER@HOST.
//
// https://man.openbsd.org/ssh
var ssh = scheme{
	name: "ssh", form: "HOST",
	parse: func(p *Place) error {
		p.argv = []string{"ssh", "-T", "--", p.target}
		p.shell = true
		// An IPv6 address has more colons.
		if host, port, found := strings.Cut(p.target, ":"); strings.HasPrefix(p.target, "//") || found && isNumber(port) {
			return fmt.Errorf("want ssh:HOST: the port of %s stands in ~/.ssh/config", strings.TrimPrefix(host, "//"))
		}
		return oneWord(p, p.target)
	},
	hints: []hint{
		{"has changed and you have requested strict checking", nil, "its key is another one than before: find out why before you remove the old one with ssh-keygen -R %s"},
		{"host key verification failed", nil, `its key is not known: "ssh %s" shows it and asks`},
		{"permission denied", nil, `it does not let you in: try "ssh %s"`},
		{"too many authentication failures", nil, `it does not let you in: try "ssh %s"`},
		{"could not resolve hostname", nil, "there is no such host: see HostName in ~/.ssh/config"},
		{"connection refused", nil, "nothing listens there: is its sshd up, and on this port?"},
		{"connection timed out", nil, "it does not answer"},
		{"operation timed out", nil, "it does not answer"},
		{"no route to host", nil, "it does not answer"},
	},
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
