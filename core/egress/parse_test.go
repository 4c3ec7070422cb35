package egress_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/egress"
)

func mustParse(t testing.TB, text string) egress.Rule {
	t.Helper()
	r, err := egress.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	longLabel = strings.Repeat("a", 63)
	longName  = strings.Repeat(longLabel+".", 3) + strings.Repeat("b", 61) // 253 bytes
)

// accepted are texts of rules and how they are written in short.
var accepted = map[string]string{
	"example.org":                 "example.org",
	"example.org:443":             "example.org:443",
	"example.org:1":               "example.org:1",
	"example.org:65535":           "example.org:65535",
	"EXAMPLE.Org.:22":             "example.org:22",
	"example.org.":                "example.org",
	"*.example.org":               "*.example.org",
	"*.Example.ORG.:8443":         "*.example.org:8443",
	"*.co.uk":                     "*.co.uk", // anyone's too, but no list of such suffixes is here
	"*.internal":                  "*.internal",
	"*.local:80":                  "*.local:80",
	"*.test":                      "*.test",
	"*.localhost:3000":            "*.localhost:3000",
	"db:5432":                     "db:5432",
	"my_db:5432":                  "my_db:5432",
	"_a.example.org":              "_a.example.org",
	"xn--bcher-kva.example":       "xn--bcher-kva.example",
	"a--b.example.org":            "a--b.example.org",
	"1.example":                   "1.example",
	"1password.com":               "1password.com",
	"0x7f.example":                "0x7f.example",
	"0xg":                         "0xg",
	"1a":                          "1a",
	"x0":                          "x0",
	longName:                      longName,
	longLabel + ".org":            longLabel + ".org",
	"*." + longName[2:]:           "*." + longName[2:],
	"localhost:5432":              "localhost:5432",
	"LOCALHOST.:5432":             "localhost:5432",
	"app.localhost:3000":          "app.localhost:3000",
	"notlocalhost":                "notlocalhost",
	"203.0.113.7":                 "203.0.113.7",
	"203.0.113.7:8080":            "203.0.113.7:8080",
	"203.0.113.7/32:8080":         "203.0.113.7:8080",
	"10.0.0.0/8":                  "10.0.0.0/8",
	"10.0.0.0/8:5432":             "10.0.0.0/8:5432",
	"0.0.0.0/1":                   "0.0.0.0/1",
	"0.0.0.0/7":                   "0.0.0.0/7",
	"0.1.2.3":                     "0.1.2.3",
	"192.0.0.0/2":                 "192.0.0.0/2",
	"240.0.0.0/4":                 "240.0.0.0/4",
	"255.255.255.254":             "255.255.255.254",
	"127.0.0.1:80":                "127.0.0.1:80",
	"127.0.0.0/8:80":              "127.0.0.0/8:80",
	"126.0.0.0/7":                 "126.0.0.0/7",
	"169.254.169.254:80":          "169.254.169.254:80",
	"2001:db8::7":                 "[2001:db8::7]",
	"[2001:db8::7]":               "[2001:db8::7]",
	"[2001:DB8:0::7]:8080":        "[2001:db8::7]:8080",
	"[2001:db8::7/128]:8080":      "[2001:db8::7]:8080",
	"fd00::/8":                    "[fd00::/8]",
	"[fd00::/8]":                  "[fd00::/8]",
	"[fd00::/8]:5432":             "[fd00::/8]:5432",
	"[::1]:80":                    "[::1]:80",
	"[::1:80]":                    "[::1:80]",
	"2001:db8:1:2:3:4:5:80":       "[2001:db8:1:2:3:4:5:80]", // whole, so 80 is no port
	"2001:db8::ab":                "[2001:db8::ab]",
	"2001:db8::1:0":               "[2001:db8::1:0]", // no port is 0
	"64:ff9b::8.8.8.8":            "[64:ff9b::808:808]",
	"[64:ff9b::/96]:443":          "[64:ff9b::/96]:443",
	"[64:ff9b::10.0.0.0/104]:443": "[64:ff9b::a00:0/104]:443",
	"[8000::/1]:443":              "[8000::/1]:443",
}

func TestParse(t *testing.T) {
	for text, want := range accepted {
		r, err := egress.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, err := egress.Parse(r.String()); err != nil || again != r {
			t.Errorf("%s: its string %s is the rule %v: %v", text, r, again, err)
		}
		if r.String() != want {
			t.Errorf("%s: got %s, want %s", text, r, want)
		}
	}
}

// TestParseRefuses: the message has to say what is wrong, and what to write where that is known.
func TestParseRefuses(t *testing.T) {
	const number, path, port = "four numbers from 0 to 255", "it has a path", "from 1 to 65535"
	for text, want := range map[string]string{
		"":                                 "it is empty: write HOST or HOST:PORT",
		"https://x/":                       "it is a URL: write x:443",
		"http://x.example/a?b#c":           "it is a URL: write x.example:80",
		"HTTPS://u:p@X.example:8443/a@b":   "it is a URL: write x.example:8443",
		"ssh://git@x.example/a":            "it is a URL: write x.example:22",
		"https://[::1]/":                   "it is a URL: write [::1]:443",
		`https://x.example\@y/`:            "it is a URL: write x.example:443",
		"foo://x.example":                  "it is a URL: write x.example",
		"foo://x.example:99?u":             "it is a URL: write x.example:99",
		"https://a_b#@c":                   "it is a URL: write a_b:443",
		"https:///a":                       "it is a URL: write HOST or HOST:PORT",
		"https://0x7f.1/":                  "it is a URL: write HOST or HOST:PORT",
		"://":                              "it is a URL: write HOST or HOST:PORT",
		"a,b":                              "a rule for each host",
		"a b":                              "a rule for each host",
		" a":                               "a rule for each host",
		"a\n":                              "a rule for each host",
		"a\tb":                             "a rule for each host",
		"a\r":                              "a rule for each host",
		"git@example.org":                  "it has a user's name",
		"git@github.com:o/r":               "it has a user's name",
		strings.Repeat("a.", 151):          "it is longer than any name",
		"*":                                "it would allow every host",
		"*:443":                            "it would allow every host",
		"*.":                               "it would allow every host",
		"*.com":                            "it would allow the hosts of anyone",
		"*.com.:443":                       "it would allow the hosts of anyone",
		"*.example":                        "it would allow the hosts of anyone",
		"a.*.org":                          "it has a '*' where none may be",
		"*a.example.org":                   "it has a '*' where none may be",
		"a*.example.org":                   "it has a '*' where none may be",
		"*.*.example.org":                  "it has a '*' where none may be",
		"*example.org":                     "it has a '*' where none may be",
		"**.example.org":                   "it has a '*' where none may be",
		"*.1":                              number,
		"*.0.0.1":                          number,
		"*.127.0.0.1":                      number,
		":443":                             "it has no host",
		".":                                "it has no host",
		"..":                               "it has a dot too many",
		".example.org":                     "it has a dot too many",
		"example..org":                     "it has a dot too many",
		"example.org..":                    "it has a dot too many",
		"*..example.org":                   "it has a dot too many",
		"-a.example.org":                   `it has a hyphen at the beginning or end of "-a"`,
		"a-.example.org":                   `it has a hyphen at the beginning or end of "a-"`,
		"example.-":                        `it has a hyphen at the beginning or end of "-"`,
		"bücher.example":                   "it is not ASCII",
		"１２７.0.0.1":                        "it is not ASCII",
		"127。0。0。1":                        "it is not ASCII",
		"\xff":                             "it is not ASCII",
		"exa%6dple.org":                    "it has a '%'",
		"a\x00.example":                    `it has the character '\x00'`,
		"a\x1b[31m":                        `it has the character '\x1b'`,
		"a\x7f":                            `it has the character '\x7f'`,
		"a$b":                              "it has the character '$'",
		"a{b,c}":                           "a rule for each host",
		"a'b":                              `it has the character '\''`,
		"a?b":                              "it has the character '?'",
		"a+b":                              "it has the character '+'",
		"a^b`c":                            "it has the character '^'",
		"a/b":                              path,
		"example.org/":                     path,
		"example.org/a:80":                 path,
		"example.org:443/":                 path,
		"example.org/24":                   path,
		"/etc":                             path,
		longLabel + "a.org":                "it has more than 63 bytes between two dots",
		longName + "b":                     "it has a name of more than 253 bytes",
		"*." + longName:                    "it is so long that no name is below it",
		"*." + longName[1:]:                "it is so long that no name is below it",
		"example.org:":                     "it has a colon and no port",
		"[::1]:":                           "it has a colon and no port",
		"example.org:0":                    port,
		"example.org:00":                   port,
		"example.org:0443":                 port,
		"example.org:65536":                port,
		"example.org:99999999999999999999": port,
		"example.org:-1":                   port,
		"example.org:+1":                   port,
		"example.org:https":                port,
		"example.org:80-90":                port,
		"example.org:*":                    port,
		"example.org:1_0":                  port,
		"[::1]:80:80":                      port,
		"127.1":                            number,
		"127.0.0.01":                       number,
		"0177.0.0.1":                       number,
		"010.0.0.1:80":                     number,
		"0x7f.1":                           number,
		"0x7f.0.0.0x1":                     number,
		"0X7F000001":                       number,
		"0x":                               number,
		"2130706433":                       number,
		"1.2.3.4.5":                        number,
		"1.2.3.256":                        number,
		"1.2.3.4.":                         number,
		"example.1":                        number,
		"010.0.0.0/8":                      number,
		"10.0/16":                          number,
		"256.0.0.0/8":                      number,
		"10.0.0.0/":                        `it has the prefix length "": write a number from 1 to 32`,
		"10.0.0.0/33":                      `it has the prefix length "33": write a number from 1 to 32`,
		"10.0.0.0/08":                      `it has the prefix length "08"`,
		"10.0.0.0/-8":                      `it has the prefix length "-8"`,
		"10.0.0.0/255.0.0.0":               `it has the prefix length "255.0.0.0"`,
		"[fd00::/129]:80":                  `it has the prefix length "129": write a number from 1 to 128`,
		"fd00::/8:80":                      `it has the prefix length "8:80"`,
		"10.1.0.0/8":                       "it has an address beyond its prefix: write 10.0.0.0/8",
		"fd00::1/8":                        "it has an address beyond its prefix: write [fd00::/8]",
		"0.0.0.0/0":                        "it would allow every host",
		"::/0":                             "it would allow every host",
		"[::/0]:443":                       "it would allow every host",
		"::ffff:10.0.0.1":                  "it is an IPv4 address in the form of IPv6: write 10.0.0.1",
		"[::ffff:a00:1]:80":                "it is an IPv4 address in the form of IPv6: write 10.0.0.1",
		"::ffff:0:0/96":                    "it is an IPv4 address in the form of IPv6: write 0.0.0.0",
		"fe80::1%eth0":                     "it has a zone",
		"[fe80::1%25eth0]:80":              "it has a zone",
		"fe80::1%a:80":                     "it has a zone",
		"fe80::%a/64":                      "it has a zone",
		"[]:80":                            "it has brackets, which are for IPv6 addresses only",
		"[127.0.0.1]:80":                   "it has brackets, which are for IPv6 addresses only",
		"[example.org]":                    "it has brackets, which are for IPv6 addresses only",
		"[::1":                             "it has no ']'",
		"[":                                "it has no ']'",
		"[::1]80":                          "it has something else than a port behind the brackets",
		"[::1]]:80":                        "it has something else than a port behind the brackets",
		"[fd00::]/8":                       "it has a prefix's length behind the brackets",
		"[::1::2]:80":                      "it is no IPv6 address",
		"a:b:c":                            "it is no IPv6 address",
		"::1]:80":                          "it is no IPv6 address",
		"x.org:80:80":                      "it is no IPv6 address",
		"::1:80":                           "it may be read in two ways: write [::1:80] for the address, or [::1]:80",
		"2001:db8::7:443":                  "it may be read in two ways",
		"localhost":                        "it has no port: each of this machine's is another service, so name one, as in localhost:5432",
		"a.localhost.":                     "it has no port",
		"*.localhost":                      "it has no port",
		"127.0.0.1":                        "it has no port",
		"127.0.0.0/8":                      "it has no port",
		"127.1.0.0/16":                     "it has no port",
		"::1":                              "it has no port",
		"[64:ff9b::7f00:1]":                "it has no port",
		"0.0.0.0:80":                       "it is the unspecified address",
		"[::]:80":                          "it is the unspecified address",
		"224.0.0.0/4":                      "it is a multicast address",
		"239.1.2.3:80":                     "it is a multicast address",
		"[ff02::1]:80":                     "it is a multicast address",
		"255.255.255.255:80":               "it is the broadcast address",
		"[64:ff9b::224.0.0.0/100]:80":      "it is a multicast address",
		"[2002:0:0::1]:80":                 "it is the unspecified address",
	} {
		r, err := egress.Parse(text)
		wrong, ok := errors.AsType[*egress.RuleError](err)
		if !ok || r != (egress.Rule{}) {
			t.Errorf("%s: got the rule %v and %v, want a RuleError", text, r, err)
			continue
		}
		if !strings.HasPrefix(wrong.Why, "it ") || !strings.Contains(wrong.Why, want) {
			t.Errorf("%s: got %q, want %q", text, wrong.Why, want)
		}
		if !strings.HasPrefix(text, strings.TrimSuffix(wrong.Rule, "...")) {
			t.Errorf("%s: the error is about %s", text, wrong.Rule)
		}
		wantPrintable(t, err)
	}
}

// wantPrintable: what is said may go to a terminal, whatever was asked.
func wantPrintable(t *testing.T, err error) {
	t.Helper()
	text := err.Error()
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("%q is not all printable ASCII", text)
	}
	if len(text) > 2000 {
		t.Errorf("%d bytes are more than a sentence", len(text))
	}
}

// TestAdvice: what a message says to write is a rule.
func TestAdvice(t *testing.T) {
	for _, text := range []string{"https://x/", "ssh://a@b:1/", "10.1.0.0/8", "[fd00::1/8]:80", "::ffff:10.0.0.1", "foo://[2001:db8::1]"} {
		_, err := egress.Parse(text)
		if err == nil {
			t.Errorf("%s: got a rule", text)
			continue
		}
		_, after, _ := strings.Cut(err.Error(), "write ")
		advice, _, _ := strings.Cut(after, ",")
		if _, err := egress.Parse(advice); err != nil {
			t.Errorf("%s: advised %s: %v", text, advice, err)
		}
	}
}

// TestZeroRule allows nothing.
func TestZeroRule(t *testing.T) {
	list := egress.List{Rules: []egress.Rule{{}}}
	for _, host := range []string{"", ".", "example.org", "8.8.8.8", "::1", "localhost"} {
		if _, err := list.Host(host, 443); err == nil {
			t.Errorf("%q is allowed", host)
		}
	}
	if got := (egress.Rule{}).String(); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}
