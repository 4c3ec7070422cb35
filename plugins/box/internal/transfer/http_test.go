package transfer

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/http"
)

// TestHTTP is what curl and wget ask for and make of the answers.
func TestHTTP(t *testing.T) {
	oldDo, oldReachable := do, reachable
	defer func() { do, reachable = oldDo, oldReachable }()
	reachable = func() bool { return true }
	var asked string
	do = func(_ context.Context, r *http.Request) (*http.Response, error) {
		asked += r.Method + " " + r.URL
		for _, f := range r.Header {
			if f.Name != "User-Agent" && f.Name != "Accept" {
				asked += " " + f.Name + "=" + f.Value
			}
		}
		if r.Body != nil {
			body, _ := io.ReadAll(r.Body)
			asked += " " + string(body)
		}
		asked += "\n"
		answer := &http.Response{Status: 200, Reason: "OK", Body: io.NopCloser(strings.NewReader("hello\n"))}
		switch {
		case strings.Contains(r.URL, "/refused"):
			return nil, &http.Error{Code: http.Refused, Text: "a:80 is refused; to allow it, add --net a:80"}
		case strings.Contains(r.URL, "/none"):
			return nil, &http.Error{Code: http.NoHost, Text: "look up a: no such host"}
		case strings.Contains(r.URL, "/cut"):
			answer.Header = []http.Field{{Name: "Content-Length", Value: "9"}}
			answer.Body = io.NopCloser(io.MultiReader(answer.Body, iotest.ErrReader(&http.Error{Code: http.Broken, Text: "unexpected EOF"})))
		case strings.Contains(r.URL, "/missing"):
			answer.Status, answer.Reason = 404, "Not Found"
		case strings.Contains(r.URL, "/bare"):
			answer.Status, answer.Header = 302, []http.Field{{Name: "Location", Value: "http://a/there"}}
		case strings.Contains(r.URL, "/moved"):
			answer.Status, answer.Reason, answer.Header = 302, "", []http.Field{{Name: "Location", Value: "http://b/there"}}
		}
		return answer, nil
	}
	for _, test := range []struct {
		line, asked, out, err string
		status                int
	}{
		{"curl -s http://a/x", "GET http://a/x\n", "hello\n", "", 0},
		{"curl -s a", "GET http://a/\n", "hello\n", "", 0},
		{"curl -d x=1 -d y=2 http://a/", "POST http://a/ Content-Type=application/x-www-form-urlencoded x=1&y=2\n", "hello\n", "", 0},
		{"curl --json {} -X PATCH http://a/", "PATCH http://a/ Content-Type=application/json {}\n", "hello\n", "", 0},
		{"curl -G -d q=1 http://a/s", "GET http://a/s?q=1\n", "hello\n", "", 0},
		{"curl -u me:pw -H X-A:1 http://a/", "GET http://a/ Authorization=Basic bWU6cHc= X-A=1\n", "hello\n", "", 0},
		{"curl -sI http://a/", "HEAD http://a/\n", "HTTP/1.1 200 OK\r\n\r\nhello\n", "", 0},
		{"curl -sf http://a/missing", "GET http://a/missing\n", "", "", 22},
		{"curl -s http://a/missing -w %{http_code}", "GET http://a/missing\n", "hello\n404", "", 0},
		{"curl -sL -u me:pw http://a/moved", "GET http://a/moved Authorization=Basic bWU6cHc=\nGET http://b/there\n", "hello\n", "", 0},
		{"curl -sL -u me:pw https://a/bare", "GET https://a/bare Authorization=Basic bWU6cHc=\nGET http://a/there\n", "hello\n", "", 0},
		{"curl -siL http://a/moved", "GET http://a/moved\nGET http://b/there\n", "HTTP/1.1 302 \r\nLocation: http://b/there\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello\n", "", 0},
		{"curl -sS http://a/cut", "GET http://a/cut\n", "hello\n", "curl: (18) transfer closed with 3 bytes remaining to read\n", 18},
		{"curl -sL http://a/moved -w %{scheme}%{http_version}%{num_headers},%{size_header}", "GET http://a/moved\nGET http://b/there\n", "hello\nHTTP1.10,62", "", 0},
		{"curl -sS -L --max-redirs 0 http://a/moved", "GET http://a/moved\n", "", "curl: (47) Maximum (0) redirects followed\n", 47},
		{"curl -sS http://a/none", "GET http://a/none\n", "", "curl: (6) look up a: no such host\n", 6},
		{"curl -s http://a/refused", "GET http://a/refused\n", "", "curl: (7) a:80 is refused; to allow it, add --net a:80\n", 7},
		{"curl -k https://a/", "", "", "curl: option -k: is not supported in this sandbox: certificates are checked outside of it, always\ncurl: try 'curl --help' or 'curl --manual' for more information\n", 2},
		{"curl -x http://p:1 http://a/", "", "", "curl: option -x: is not supported in this sandbox: its host connects to the server itself\ncurl: try 'curl --help' or 'curl --manual' for more information\n", 2},
		{"curl --resolve a:80:1.2.3.4 http://a/", "", "", "curl: option --resolve: is not supported in this sandbox: its host connects to the server itself\ncurl: try 'curl --help' or 'curl --manual' for more information\n", 2},
		{"curl -s --noproxy * http://a/x", "GET http://a/x\n", "hello\n", "", 0},
		{"wget -q -O - http://a/moved", "GET http://a/moved\nGET http://b/there\n", "hello\n", "", 0},
		{"wget -q -O - http://a/missing", "GET http://a/missing\n", "", "", 8},
		{"wget -q -O - http://a/refused", "GET http://a/refused\n", "", "wget: a:80 is refused; to allow it, add --net a:80\n", 4},
	} {
		asked = ""
		var out, errs bytes.Buffer
		words := strings.Fields(test.line)
		var command tool.Command
		for _, c := range Commands() {
			if c.Name == words[0] {
				command = c
			}
		}
		status := tool.Run(command, tool.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: t.TempDir()}, words)
		if status != test.status || asked != test.asked || out.String() != test.out || errs.String() != test.err {
			t.Errorf("%s: got %d, asked %q, %q, %q", test.line, status, asked, out.String(), errs.String())
		}
	}
}

// TestNoNetwork is what they say where nothing can be fetched: what the person can type.
func TestNoNetwork(t *testing.T) {
	const asks = "there is no network in this sandbox: ask for the file to be put into the workspace"
	for line, want := range map[string]string{
		"curl -s http://a.example/x":        "curl: " + asks + ", or for terrarium's --net a.example\n",
		"curl -s https://a.example:8443/x":  "curl: " + asks + ", or for terrarium's --net a.example:8443\n",
		"curl -s ftp://a.example/x":         "curl: " + asks + "\n",
		"wget -q http://10.0.0.1:81/x -O -": "wget: " + asks + ", or for terrarium's --net 10.0.0.1:81\n",
	} {
		var out, errs bytes.Buffer
		words := strings.Fields(line)
		for _, c := range Commands() {
			if c.Name == words[0] {
				tool.Run(c, tool.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: t.TempDir()}, words)
			}
		}
		if errs.String() != want {
			t.Errorf("%s: got %q", line, errs.String())
		}
	}
}
