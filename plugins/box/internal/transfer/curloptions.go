package transfer

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// curlShort are the letters of options, those that take an argument behind the bar.
const curlShort = "0123 46aBfgGiIjJkKlLMnNOpqRsSvVZ#:h|AbCcdDeEFHKmoPQrtTuUwxXyYz"

// curlArguments are the long options that take an argument, and curlFlags those that don't, with
// their letters if they have some. They are taken apart when curl runs: every command of the box
// begins with what packages make at once.
var (
	curlArguments = longOptions("request=X header=H data=d data-ascii=d data-raw=d data-binary=d data-urlencode=d json=d form=F form-string=F " +
		"user=u user-agent=A referer=e cookie=b cookie-jar=c output=o output-dir url range=r max-time=m connect-timeout retry retry-delay " +
		"retry-max-time proxy=x proxy-user=U proxy-header cacert capath cert=E cert-type key key-type pass write-out=w upload-file=T config=K " +
		"max-redirs limit-rate resolve connect-to interface time-cond=z continue-at=C dump-header=D proto proto-redir proto-default noproxy " +
		"ciphers tls13-ciphers tls-max curves unix-socket abstract-unix-socket speed-limit=Y speed-time=y stderr trace trace-ascii " +
		"keepalive-time max-filesize oauth2-bearer aws-sigv4 pinnedpubkey quote=Q telnet-option=t ftp-port=P netrc-file request-target " +
		"socks5 socks5-hostname socks4 preproxy hostpubmd5 pubkey local-port dns-servers doh-url parallel-max rate etag-save etag-compare " +
		"crlfile engine happy-eyeballs-timeout-ms expect100-timeout url-query variable")
	curlFlags = longOptions("silent=s show-error=S fail=f fail-with-body fail-early location=L location-trusted=L insecure=k head=I include=i " +
		"remote-name=O remote-header-name=J remote-name-all=O compressed verbose=v version=V help=h get=G progress-bar=# no-progress-meter " +
		"http0.9 http1.0=0 http1.1 http2 http2-prior-knowledge http3 http3-only tlsv1=1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 sslv2=2 sslv3=3 ipv4=4 " +
		"ipv6=6 globoff=g create-dirs no-buffer=N parallel=Z parallel-immediate path-as-is netrc=n netrc-optional disable=q raw " +
		"retry-all-errors retry-connrefused remove-on-error ssl-reqd ssl ssl-no-revoke next=: basic digest ntlm negotiate anyauth tr-encoding " +
		"styled-output no-styled-output xattr append=a use-ascii=B junk-session-cookies=j list-only=l manual=M proxytunnel=p remote-time=R " +
		"crlf no-keepalive no-alpn no-npn no-sessionid ignore-content-length post301 post302 post303 tcp-nodelay tcp-fastopen " +
		"no-clobber clobber proxy-insecure doh-insecure false-start cert-status disable-eprt disable-epsv trace-time")
)

func longOptions(list string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, word := range strings.Fields(list) {
			name, letter, _ := strings.Cut(word, "=")
			m[name] = letter
		}
		return m
	})
}

// parse reads the arguments. It is false if they are wrong, after a message.
func (c *curler) parse(args []string) bool {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' {
			c.urls = append(c.urls, a)
			continue
		}
		if strings.HasPrefix(a, "--") {
			name, letter, takes, ok := findLong(a[2:])
			if !ok {
				return c.badOption(a, "is unknown")
			}
			value := ""
			if takes {
				if i++; i == len(args) {
					return c.badOption(a, "requires parameter")
				}
				value = args[i]
			}
			if !c.set(a, name, letter, value) {
				return false
			}
			continue
		}
		for k := 1; k < len(a); k++ {
			letter := a[k : k+1]
			at := strings.Index(curlShort, letter)
			if at < 0 || letter == "|" || letter == " " {
				return c.badOption("-"+letter, "is unknown")
			}
			if at < strings.IndexByte(curlShort, '|') && letter != "K" {
				if !c.set("-"+letter, "", letter, "") {
					return false
				}
				continue
			}
			value := a[k+1:]
			if value == "" {
				if i++; i == len(args) {
					return c.badOption("-"+letter, "requires parameter")
				}
				value = args[i]
			}
			if !c.set("-"+letter, "", letter, value) {
				return false
			}
			break
		}
	}
	return true
}

// findLong finds a long option, which may be shortened, or begin with "no-".
func findLong(given string) (name, letter string, takes, ok bool) {
	if letter, ok := curlArguments()[given]; ok {
		return given, letter, true, true
	}
	if letter, ok := curlFlags()[given]; ok {
		return given, letter, false, true
	}
	if _, ok := curlFlags()[strings.TrimPrefix(given, "no-")]; ok {
		return given, "", false, true
	}
	found := 0
	for long, l := range curlArguments() {
		if strings.HasPrefix(long, given) {
			name, letter, takes = long, l, true
			found++
		}
	}
	for long, l := range curlFlags() {
		if strings.HasPrefix(long, given) {
			name, letter, takes = long, l, false
			found++
		}
	}
	return name, letter, takes, found == 1
}

func (c *curler) badOption(option, what string) bool {
	c.env.Errorf("option %s: %s", option, what)
	c.env.Errorf("try 'curl --help' or 'curl --manual' for more information")
	return false
}

// set applies an option.
func (c *curler) set(given, name, letter, value string) bool {
	switch letter {
	case "o":
		c.outputs = append(c.outputs, value)
	case "O":
		c.outputs = append(c.outputs, "")
		c.remoteAll = c.remoteAll || name == "remote-name-all"
	case "T":
		c.upload = value
	case "r":
		c.span = value
	case "w":
		c.writeOut = value
	case "K":
		return c.config(value)
	case "m":
		if strings.Trim(value, "0123456789.") != "" || value == "" {
			return c.badOption(given, "expected a proper numerical parameter")
		}
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil || seconds > 1e9 {
			return c.badOption(given, "expected a proper numerical parameter")
		}
		c.ask.time = time.Duration(seconds * float64(time.Second))
	case "X", "H", "d", "F", "u", "A", "e", "b", "D", "k":
		return c.setHTTP(given, name, letter, value)
	case "x":
		return value == "" || c.badRoute(given)
	case "":
		switch name {
		case "socks4", "socks5", "socks5-hostname", "preproxy", "unix-socket", "abstract-unix-socket", "resolve", "connect-to":
			return c.badRoute(given)
		case "url":
			c.urls = append(c.urls, value)
		case "output-dir":
			c.outputDir = value
		case "create-dirs":
			c.createDirs = true
		case "max-redirs", "fail-with-body":
			return c.setHTTP(given, name, letter, value)
		}
	default:
		c.flags[letter[0]] = true
	}
	return true
}

// badRoute refuses an option that says how to reach a server.
func (c *curler) badRoute(option string) bool {
	return c.badOption(option, "is not supported in this sandbox: its host connects to the server itself")
}

// config reads options from a file: "name = value" or "name value" on each line.
func (c *curler) config(file string) bool {
	data, err := c.env.ReadFile(file)
	if err != nil {
		c.env.Errorf("cannot read config from '%s'", file)
		return false
	}
	var args []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		end := strings.IndexAny(line, " \t=:")
		if end < 0 {
			end = len(line)
		}
		name, value := line[:end], strings.Trim(line[end:], " \t=:")
		if name[0] != '-' {
			name = "--" + name
		}
		args = append(args, name)
		if len(value) > 1 && value[0] == '"' {
			value = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(strings.TrimSuffix(value[1:], `"`))
		}
		if value != "" {
			args = append(args, value)
		}
	}
	return c.parse(args)
}
