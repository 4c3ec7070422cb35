package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The statuses of curl.
const (
	curlUnsupported = 1
	curlUsage       = 2
	curlBadURL      = 3
	curlNoHost      = 6
	curlNoConnect   = 7
	curlWrite       = 23
	curlReadFile    = 26
	curlNoFile      = 37
)

// curler is one run of curl.
type curler struct {
	env        *tool.Env
	flags      map[byte]bool
	urls       []string
	outputs    []string // of each URL; "" is the name that it ends with
	remoteAll  bool
	outputDir  string
	createDirs bool
	upload     string
	span       string
	writeOut   string
	status     int
	hinted     bool
	ask        asking
}

func curl(env *tool.Env, args []string) int {
	env.Name = "curl"
	c := &curler{env: env, flags: map[byte]bool{}, ask: asking{redirects: defaultRedirects}}
	if !c.parse(args[1:]) {
		return curlUsage
	}
	switch {
	case c.flags['V']:
		env.Version()
		return 0
	case c.flags['h'] || c.flags['M']:
		env.Help()
		return 0
	case len(c.urls) == 0:
		env.Errorf("try 'curl --help' or 'curl --manual' for more information")
		return curlUsage
	}
	for i, u := range c.urls {
		if env.Stopped() {
			break
		}
		c.get(i, u)
	}
	return c.status
}

// fail ends one transfer. Its message is left out with -s.
func (c *curler) fail(status int, format string, a ...any) {
	c.status = status
	if !c.flags['s'] || c.flags['S'] {
		c.env.Errorf("(%d) %s", status, fmt.Sprintf(format, a...))
	}
}

// A transferred is what -w tells of.
type transferred struct {
	url, file string
	size      int64
	status    int

	// Of a request by HTTP:
	code           int    // the response's status, or 0
	kind, redirect string // its type, and where it leads to
	method, at     string // of the last request, and its URL
	redirects      int
	heads          string // the headers of all responses
	fields         int    // of the last one's
	took           time.Duration
}

func (c *curler) get(i int, url string) {
	t := &transferred{url: url}
	c.status = 0
	began := time.Now()
	c.fetch(i, t)
	t.status, t.took = c.status, time.Since(began)
	c.tell(t)
}

var curlSchemes = map[string]string{
	"http": "80", "https": "443", "ftp": "21", "ftps": "990", "sftp": "22", "scp": "22", "telnet": "23", "dict": "2628", "ldap": "389", "ldaps": "636",
	"imap": "143", "imaps": "993", "pop3": "110", "pop3s": "995", "smtp": "25", "smtps": "465", "tftp": "69", "gopher": "70", "rtsp": "554", "mqtt": "1883",
	"smb": "445", "smbs": "445", "file": "",
}

func (c *curler) fetch(i int, t *transferred) {
	l, ok := parseURL(t.url)
	port, known := curlSchemes[l.scheme]
	switch {
	case !ok:
		c.fail(curlBadURL, "URL using bad/illegal format or missing URL")
	case !known:
		c.fail(curlUnsupported, "Protocol %q not supported or disabled in libcurl", l.scheme)
	case l.scheme == "file" && l.host != "" && l.host != "localhost" && l.host != "127.0.0.1":
		c.fail(curlBadURL, "URL using bad/illegal format or missing URL")
	case l.scheme == "file" && c.upload != "":
		c.put(unescape(l.path))
	case l.scheme == "file":
		c.file(i, unescape(l.path), t)
	case reachable() && (l.scheme == "http" || l.scheme == "https"):
		c.http(i, t)
	case reachable():
		c.fail(curlUnsupported, "Protocol %q is not supported in this sandbox: what is reached is http and https", l.scheme)
	case l.address():
		if l.port != "" {
			port = l.port
		}
		c.fail(curlNoConnect, "Failed to connect to %s port %s after 0 ms: Couldn't connect to server", strings.Trim(l.host, "[]"), port)
	default:
		c.fail(curlNoHost, "Could not resolve host: %s", l.host)
	}
	if (c.status == curlNoHost || c.status == curlNoConnect) && !c.hinted && !reachable() {
		c.hinted = true
		c.env.Errorf("%s", noNetwork(l))
	}
}

// put is -T: a file becomes another.
func (c *curler) put(to string) {
	in, err := c.env.Input(c.upload)
	if err != nil {
		c.fail(curlReadFile, "Failed to open/read local data from file/application")
		return
	}
	defer in.Close()
	out, err := c.env.Create(to, os.O_TRUNC)
	if err != nil {
		c.fail(curlWrite, "Can't open %s for writing", to)
		return
	}
	_, err = io.Copy(out, in)
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		c.fail(curlWrite, "Failed writing body: %s", tool.Strerror(err))
	}
}

// file copies a file to where the output goes.
func (c *curler) file(i int, name string, t *transferred) {
	in, err := os.Open(name)
	if err != nil {
		c.fail(curlNoFile, "Couldn't open file %s", name)
		return
	}
	defer in.Close()
	fi, err := in.Stat()
	if err != nil || fi.IsDir() {
		return // as curl does, without a word
	}
	r, err := c.part(in, fi.Size())
	if err != nil {
		c.fail(36, "Couldn't resume download")
		return
	}
	first := bufio.NewReaderSize(r, 16<<10)
	first.Peek(16 << 10) // before the output is emptied: it may be the same file
	out, ok := c.output(i, name, t)
	if !ok {
		return
	}
	defer out.Close()
	if c.flags['I'] || c.flags['i'] {
		fmt.Fprintf(out, "Content-Length: %d\r\nAccept-ranges: bytes\r\nLast-Modified: %s GMT\r\n", fi.Size(),
			fi.ModTime().UTC().Format("Mon, 02 Jan 2006 15:04:05"))
		if c.flags['I'] {
			return
		}
		io.WriteString(out, "\r\n")
	}
	if t.size, err = io.Copy(out, first); err != nil && !c.env.Stopped() {
		c.fail(curlWrite, "Failure writing output to destination")
	}
}

// part is what -r asks for: FROM-TO, FROM- or -LAST.
func (c *curler) part(f *os.File, size int64) (io.Reader, error) {
	if c.span == "" {
		return struct{ io.Reader }{f}, nil
	}
	from, to, ok := strings.Cut(c.span, "-")
	start, err1 := strconv.ParseInt("0"+from, 10, 64)
	end, err2 := strconv.ParseInt("0"+to, 10, 64)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return nil, syscall.EINVAL
	case from == "":
		start, end = max(0, size-end), size-1
	case to == "":
		end = size - 1
	}
	return io.NewSectionReader(f, start, max(0, min(end, size-1)-start+1)), nil
}

// output opens the file that -o or -O names for the i-th URL, or standard output.
func (c *curler) output(i int, source string, t *transferred) (io.WriteCloser, bool) {
	name := "-"
	if i < len(c.outputs) {
		if name = c.outputs[i]; name == "" {
			name = path.Base(source)
		}
	} else if c.remoteAll {
		name = path.Base(source)
	}
	if name == "-" {
		return keepOpen{c.env.Out}, true
	}
	if c.outputDir != "" {
		name = strings.TrimRight(c.outputDir, "/") + "/" + name
	}
	if c.createDirs {
		c.env.MkdirAll(path.Dir(name))
	}
	w, err := c.env.Create(name, os.O_TRUNC)
	if err != nil {
		if !c.flags['s'] {
			c.env.Warn("Warning: Failed to open the file " + name + ": " + tool.Strerror(err))
		}
		c.fail(curlWrite, "Failure writing output to destination")
		return nil, false
	}
	t.file = name
	return w, true
}

type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

var errNoVariable = errors.New("unknown variable")

// tell writes what -w asks for.
func (c *curler) tell(t *transferred) {
	text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(c.writeOut)
	for {
		before, rest, ok := strings.Cut(text, "%{")
		c.env.Out.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return
		}
		value, err := t.variable(name)
		if err != nil {
			c.env.Warn("curl: unknown --write-out variable: '" + name + "'")
		}
		c.env.Out.WriteString(value)
		text = after
	}
}

func (t *transferred) variable(name string) (string, error) {
	switch name {
	case "http_code", "response_code", "http_connect":
		return fmt.Sprintf("%03d", t.code), nil
	case "url_effective":
		if t.at != "" {
			return t.at, nil
		}
		return t.url, nil
	case "url":
		return t.url, nil
	case "content_type":
		return t.kind, nil
	case "redirect_url":
		return t.redirect, nil
	case "num_redirects":
		return strconv.Itoa(t.redirects), nil
	case "filename_effective":
		return t.file, nil
	case "size_download":
		return strconv.FormatInt(t.size, 10), nil
	case "exitcode":
		return strconv.Itoa(t.status), nil
	case "scheme":
		scheme, _, _ := strings.Cut(t.at, "://")
		return strings.ToUpper(scheme), nil
	case "http_version":
		if t.code > 0 {
			return "1.1", nil
		}
		return "0", nil
	case "num_headers":
		return strconv.Itoa(t.fields), nil
	case "size_header":
		return strconv.Itoa(len(t.heads)), nil
	case "time_total":
		return strconv.FormatFloat(t.took.Seconds(), 'f', 6, 64), nil
	case "remote_ip", "local_ip", "errormsg", "stdout", "stderr":
		return "", nil
	case "method":
		if t.method != "" {
			return t.method, nil
		}
		return "GET", nil
	}
	switch {
	case strings.HasPrefix(name, "time_"):
		return "0.000000", nil
	case strings.HasPrefix(name, "num_"), strings.HasPrefix(name, "size_"), strings.HasPrefix(name, "speed_"), strings.HasSuffix(name, "_port"),
		name == "ssl_verify_result":
		return "0", nil
	}
	return "", errNoVariable
}
