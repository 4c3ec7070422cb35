package transfer

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/http"
)

// More statuses of wget.
const (
	wgetFile   = 3
	wgetServer = 8
)

const wgetRedirects = 20

// fetch gets one URL into output, or a file that is called as it ends.
func (w *wgetter) fetch(text, output string, spider bool) {
	to, err := url.Parse(text)
	if err != nil {
		w.env.Warn(text + ": Invalid URL.")
		w.status = wgetTrouble
		return
	}
	name := output
	if name == "" {
		if name = path.Base(to.Path); name == "/" || name == "." {
			name = "index.html"
		}
	}
	response, err := w.follow(to, spider)
	switch e, ours := errors.AsType[*http.Error](err); {
	case ours && e.Code == http.Refused:
		w.status = wgetNoHost
		w.env.Errorf("%s", e.Text) // even with -q: who does not know why tries again
		return
	case err != nil:
		w.status = wgetNoHost
		w.say(err.Error())
		return
	}
	defer response.Body.Close()
	if response.Status >= 400 {
		w.status = wgetServer
		w.say("ERROR " + strconv.Itoa(response.Status) + ": " + response.Reason + ".")
		return
	}
	if spider {
		return
	}
	out := io.WriteCloser(keepOpen{w.env.Out})
	if name != "-" {
		if out, err = w.env.Create(name, os.O_TRUNC); err != nil {
			w.status = wgetFile
			w.say(name + ": " + tool.Strerror(err))
			return
		}
	}
	n, err := io.Copy(out, bufio.NewReaderSize(response.Body, 32<<10))
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		w.status = wgetNoHost
		w.say(err.Error())
		return
	}
	w.say(w.env.Quote(name) + " saved [" + strconv.FormatInt(n, 10) + "]")
}

// say writes a line, but not with -q.
func (w *wgetter) say(line string) {
	if w.level > 0 {
		w.env.Warn(line)
	}
}

// follow requests to and what it leads to.
func (w *wgetter) follow(to *url.URL, spider bool) (*http.Response, error) {
	ctx := w.env.Context
	if ctx == nil {
		ctx = context.Background()
	}
	for range wgetRedirects + 1 {
		to.User, to.Fragment = nil, ""
		if to.Path == "" {
			to.Path = "/"
		}
		r := &http.Request{Method: "GET", URL: to.String(), Header: []http.Field{{Name: "User-Agent", Value: "Wget/1.21.3"}, {Name: "Accept", Value: "*/*"}}}
		if spider {
			r.Method = "HEAD"
		}
		response, err := do(ctx, r)
		if err != nil {
			return nil, err
		}
		place := response.Get("Location")
		if place == "" || response.Status < 300 || response.Status > 399 {
			return response, nil
		}
		response.Body.Close()
		if to, err = to.Parse(place); err != nil {
			return nil, err
		}
	}
	return nil, errors.New(strconv.Itoa(wgetRedirects) + " redirections exceeded.")
}
