package transfer

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/http"
)

// More statuses of curl.
const (
	curlPartial   = 18
	curlFailed    = 22 // -f, and the server says 400 or more
	curlTimeout   = 28
	curlRedirects = 47
	curlEmpty     = 52
	curlTLS       = 60
	curlTooLarge  = 63
)

// do is how requests are made. Tests have another.
var do, reachable = http.Do, http.Supported

// An asking is what options say of a request, whatever its URL is.
type asking struct {
	method    string
	fields    []http.Field
	data      string
	hasData   bool
	json      bool
	user      string
	agent     string
	redirects int
	time      time.Duration // 0 is without limit
	dump      string        // the file for the response's header
	withBody  bool          // --fail-with-body
}

const defaultRedirects = 50

// setHTTP applies an option about requests. It is false if that is wrong, after a message.
func (c *curler) setHTTP(given, name, letter, value string) bool {
	a := &c.ask
	switch {
	case letter == "X":
		a.method = value
	case letter == "H":
		return c.addField(given, value)
	case letter == "d":
		return c.addData(given, name, value)
	case letter == "F":
		return c.badOption(given, "is not supported in this sandbox: use --data-binary")
	case letter == "u":
		a.user = value
	case letter == "A":
		a.agent = value
	case letter == "e":
		a.fields = append(a.fields, http.Field{Name: "Referer", Value: value})
	case letter == "b" && strings.Contains(value, "="):
		a.fields = append(a.fields, http.Field{Name: "Cookie", Value: value})
	case letter == "D":
		a.dump = value
	case letter == "k":
		return c.badOption(given, "is not supported in this sandbox: certificates are checked outside of it, always")
	case name == "max-redirs":
		n, err := strconv.Atoi(value)
		if err != nil {
			return c.badOption(given, "expected a proper numerical parameter")
		}
		a.redirects = n
	case name == "fail-with-body":
		a.withBody = true
	}
	return true
}

func (c *curler) addField(given, value string) bool {
	if file, ok := strings.CutPrefix(value, "@"); ok {
		data, err := c.env.ReadFile(file)
		if err != nil {
			return c.badOption(given, "error encountered when reading a file")
		}
		for line := range strings.Lines(string(data)) {
			c.addField(given, strings.TrimRight(line, "\r\n"))
		}
		return true
	}
	name, rest, colon := strings.Cut(value, ":")
	switch {
	case colon: // an empty one takes a field of ours away
		c.ask.fields = append(c.ask.fields, http.Field{Name: name, Value: strings.TrimSpace(rest)})
	case strings.HasSuffix(value, ";"):
		c.ask.fields = append(c.ask.fields, http.Field{Name: strings.TrimSuffix(value, ";"), Value: " "})
	}
	return true
}

func (c *curler) addData(given, name, value string) bool {
	file, isFile := strings.CutPrefix(value, "@")
	switch {
	case name == "data-urlencode":
		before, after, named := strings.Cut(value, "=")
		switch {
		case !named:
			value = queryEscape(value)
		case before == "":
			value = queryEscape(after)
		default:
			value = before + "=" + queryEscape(after)
		}
	case isFile && name != "data-raw":
		data, err := c.env.ReadFile(file)
		if err != nil {
			c.env.Errorf("Failed to open %s", file)
			return false
		}
		value = string(data)
		if name != "data-binary" && name != "json" {
			value = strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(value)
		}
	}
	a := &c.ask
	a.json = a.json || name == "json"
	if a.hasData && !a.json {
		a.data += "&"
	}
	a.data, a.hasData = a.data+value, true
	return true
}

func queryEscape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// request returns the request for a URL, and says whether its body is a file, which is closed after
// it.
func (c *curler) request(to *url.URL) (*http.Request, error) {
	a := &c.ask
	r := &http.Request{Method: "GET"}
	user := a.user
	if to.User != nil {
		user = to.User.Username()
		if password, ok := to.User.Password(); ok {
			user += ":" + password
		}
		to.User = nil
	}
	fields := []http.Field{{Name: "User-Agent", Value: "curl/7.88.1"}, {Name: "Accept", Value: "*/*"}}
	if a.agent != "" {
		fields[0].Value = a.agent
	}
	if user != "" {
		fields = append(fields, http.Field{Name: "Authorization", Value: "Basic " + base64.StdEncoding.EncodeToString([]byte(user))})
	}
	if c.span != "" {
		fields = append(fields, http.Field{Name: "Range", Value: "bytes=" + c.span})
	}
	switch {
	case a.hasData && c.flags['G']:
		if to.RawQuery != "" {
			to.RawQuery += "&"
		}
		to.RawQuery += a.data
	case a.hasData:
		r.Method, r.Body, r.Length = "POST", strings.NewReader(a.data), int64(len(a.data))
		if a.data == "" {
			r.Body = nil
		}
		kind := "application/x-www-form-urlencoded"
		if a.json {
			kind = "application/json"
			fields[1].Value = kind
		}
		fields = append(fields, http.Field{Name: "Content-Type", Value: kind})
	case c.upload != "":
		in, err := c.env.Input(c.upload)
		if err != nil {
			return nil, err
		}
		r.Method, r.Body = "PUT", in
	case c.flags['I']:
		r.Method = "HEAD"
	}
	if a.method != "" {
		r.Method = a.method
	}
	r.Header = merge(fields, a.fields)
	to.Fragment = ""
	r.URL = to.String()
	return r, nil
}

// merge returns theirs, and those of ours that theirs don't name.
func merge(ours, theirs []http.Field) (all []http.Field) {
	named := map[string]bool{}
	for _, f := range theirs {
		named[strings.ToLower(f.Name)] = true
	}
	for _, f := range ours {
		if !named[strings.ToLower(f.Name)] {
			all = append(all, f)
		}
	}
	for _, f := range theirs {
		if f.Value != "" {
			f.Value = strings.TrimSpace(f.Value)
			all = append(all, f)
		}
	}
	return all
}

// http gets one URL.
func (c *curler) http(i int, t *transferred) {
	text := t.url
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	to, err := url.Parse(text)
	if err != nil || to.Host == "" {
		c.fail(curlBadURL, "URL using bad/illegal format or missing URL")
		return
	}
	if to.Path == "" {
		to.Path = "/"
	}
	ctx, cancel := c.context()
	defer cancel()
	began := time.Now()
	response, err := c.follow(ctx, to, t)
	if err != nil {
		c.failed(ctx, began, t, err)
		return
	}
	defer response.Body.Close()
	t.code, t.kind, t.fields = response.Status, response.Get("Content-Type"), len(response.Header)
	t.heads += headerText(response)
	if bad := response.Status >= 400 && c.flags['f']; bad {
		c.fail(curlFailed, "The requested URL returned error: %d", response.Status)
		return
	}
	if !c.dumpHeader(t.heads) {
		return
	}
	out, ok := c.output(i, to.Path, t)
	if !ok {
		return
	}
	defer out.Close()
	if c.flags['i'] || c.flags['I'] {
		io.WriteString(out, t.heads)
	}
	in := &watched{r: response.Body}
	t.size, err = io.Copy(out, in)
	switch e, ours := errors.AsType[*http.Error](in.err); {
	case ours && e.Code == http.Broken:
		left := "outstanding read data remaining"
		if n, err := strconv.ParseInt(response.Get("Content-Length"), 10, 64); err == nil {
			left = strconv.FormatInt(n-t.size, 10) + " bytes remaining to read"
		}
		c.fail(curlPartial, "transfer closed with %s", left)
	case in.err != nil:
		c.failed(ctx, began, t, in.err)
	case err != nil && !c.env.Stopped():
		c.fail(curlWrite, "Failure writing output to destination")
	case c.ask.withBody && response.Status >= 400:
		c.fail(curlFailed, "The requested URL returned error: %d", response.Status)
	}
}

// watched keeps the error of reading apart from that of writing.
type watched struct {
	r   io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

func (c *curler) context() (context.Context, context.CancelFunc) {
	ctx := c.env.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if c.ask.time > 0 {
		return context.WithTimeout(ctx, c.ask.time)
	}
	return context.WithCancel(ctx)
}

// follow requests to, and with -L what it leads to.
func (c *curler) follow(ctx context.Context, to *url.URL, t *transferred) (*http.Response, error) {
	saved, first := c.ask, *to
	defer func() { c.ask = saved }()
	for n := 0; ; n++ {
		r, err := c.request(to)
		if err != nil {
			return nil, err
		}
		t.method, t.at = r.Method, r.URL
		response, err := do(ctx, r)
		if file, ok := r.Body.(io.Closer); ok && err != nil {
			file.Close()
		}
		if err != nil {
			return nil, err
		}
		place := response.Get("Location")
		if place == "" || response.Status < 300 || response.Status > 399 {
			return response, nil
		}
		next, err := to.Parse(place)
		if err != nil {
			return response, nil
		}
		t.redirect = next.String()
		if !c.flags['L'] {
			return response, nil
		}
		response.Body.Close()
		if n >= c.ask.redirects {
			return nil, errRedirects
		}
		t.redirects, t.redirect, t.heads = n+1, "", t.heads+headerText(response)
		// Whoever this is, the password was not meant for them.
		if next.Fragment = ""; next.Host != first.Host || next.Scheme != first.Scheme {
			c.ask.user = ""
			c.ask.fields = without(c.ask.fields, "authorization", "cookie")
		}
		if response.Status <= 303 && c.ask.hasData && !c.flags['G'] {
			c.ask.hasData, c.ask.data = false, ""
		}
		if c.flags['G'] {
			c.ask.hasData = false
		}
		to = next
	}
}

func without(fields []http.Field, names ...string) (rest []http.Field) {
	for _, f := range fields {
		drop := false
		for _, name := range names {
			drop = drop || strings.EqualFold(f.Name, name)
		}
		if !drop {
			rest = append(rest, f)
		}
	}
	return rest
}

var errRedirects = errors.New("too many redirects")

// failed says why a transfer has failed.
func (c *curler) failed(ctx context.Context, began time.Time, t *transferred, err error) {
	e, ours := errors.AsType[*http.Error](err)
	switch {
	case err == errRedirects:
		c.fail(curlRedirects, "Maximum (%d) redirects followed", c.ask.redirects)
	case errors.Is(err, context.DeadlineExceeded):
		c.fail(curlTimeout, "Operation timed out after %d milliseconds with %d bytes received", time.Since(began).Milliseconds(), t.size)
	case ctx.Err() != nil: // it was ended, and says nothing
		c.status = curlWrite
	case !ours && errors.Is(err, os.ErrNotExist):
		c.fail(curlReadFile, "Failed to open/read local data from file/application")
	case !ours:
		c.fail(curlEmpty, "%v", err)
	case e.Code == http.Refused:
		c.status = curlNoConnect
		// It says so even with -s: who does not know why tries again.
		c.env.Errorf("(%d) %s", curlNoConnect, e.Text)
	default:
		c.fail(curlStatus(e.Code), "%s", e.Text)
	}
}

// curlStatus is curl's status for what a host says.
func curlStatus(code http.Code) int {
	switch code {
	case http.Invalid:
		return curlBadURL
	case http.NoHost:
		return curlNoHost
	case http.NoTLS:
		return curlTLS
	case http.TimedOut:
		return curlTimeout
	case http.TooLarge:
		return curlTooLarge
	case http.Broken:
		return curlEmpty
	}
	return curlNoConnect
}

// headerText is a response's header as a server would have sent it.
func headerText(r *http.Response) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", r.Status, r.Reason)
	for _, f := range r.Header {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
	}
	return b.String() + "\r\n"
}

// dumpHeader is -D.
func (c *curler) dumpHeader(text string) bool {
	switch c.ask.dump {
	case "":
		return true
	case "-":
		c.env.Out.WriteString(text)
		return true
	}
	f, err := c.env.Create(c.ask.dump, os.O_TRUNC)
	if err == nil {
		_, err = io.WriteString(f, text)
		f.Close()
	}
	if err != nil {
		c.fail(curlWrite, "Failed to open %s", c.ask.dump)
	}
	return err == nil
}
