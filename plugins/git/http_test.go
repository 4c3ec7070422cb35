//go:build unix

package main

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	guest "github.com/terrarium-dev/terrarium/plugins/http"
)

// overSockets fetches as the sandbox's host does, from wherever.
func overSockets(ctx context.Context, r *guest.Request) (*guest.Response, error) {
	q, err := http.NewRequestWithContext(ctx, cmp.Or(r.Method, "GET"), r.URL, r.Body)
	if err != nil {
		return nil, err
	}
	if r.Length > 0 {
		q.ContentLength = r.Length
	}
	for _, f := range r.Header {
		q.Header.Set(f.Name, f.Value)
	}
	a, err := http.DefaultTransport.RoundTrip(q) // which does not follow redirects
	if err != nil {
		return nil, err
	}
	out := &guest.Response{Status: a.StatusCode, Body: a.Body}
	for name := range a.Header {
		out.Header = append(out.Header, guest.Field{Name: name, Value: a.Header.Get(name)})
	}
	return out, nil
}

// TestSmart: git takes from a server and gives to it, by the protocol that all servers speak.
func TestSmart(t *testing.T) {
	const backend = "/usr/lib/git-core/git-http-backend"
	if _, err := os.Stat(backend); err != nil {
		t.Skip("needs " + backend)
	}
	r := newRunner(t, ours(t))
	server := httptest.NewServer(&cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.dir), "GIT_HTTP_EXPORT_ALL=1"}})
	defer server.Close()
	for _, step := range [][2]string{
		{installed + " init -q --bare -b main ../hub.git && " + installed + " -C ../hub.git config http.receivepack true", ""},
		{"git init -q -b main && echo one >a && git add a && git commit -qm one && git push URL/hub.git main",
			"! To URL/hub.git\n!  * [new branch]      main -> main\n"},
		{"git clone -q URL/hub.git ../down && cat ../down/a", "| one\n"},
		{"cd ../down && echo two >b && git add b && git commit -qm two && git push -q", ""},
		{"git remote add origin URL/hub.git && git fetch", "! From URL/hub\n!  * [new branch]      main       -> origin/main\n"},
		{"git pull -q origin main && cat b", "| two\n"},
		{"git clone -q --depth 1 URL/hub.git ../shallow && git -C ../shallow log --format=%s", "| two\n"},
		{"git checkout -q -b old main~1 && echo three >c && git add c && git commit -qm three && git push -q URL/hub.git old", ""},
		// This one is older than what is here.
		{"cd ../shallow && git fetch -q URL/hub.git old:old && git log --format=%s old", "| three\n| one\n"},
		{installed + " -C ../down fsck --strict && " + installed + " -C ../shallow fsck && " + installed + " -C ../hub.git fsck", ""},
		{"git ls-remote URL/gone.git", "! fatal: repository 'URL/gone.git/' not found\n? 128\n"},
	} {
		want := strings.ReplaceAll(step[1], "URL", server.URL)
		if got := r.run(t, strings.ReplaceAll(step[0], "URL", server.URL)); got != want {
			t.Errorf("%s\n%s", step[0], difference(want, got))
		}
	}
}

// TestServerHidesHistory: a server that was not asked for it can't have history end here.
func TestServerHidesHistory(t *testing.T) {
	const backend = "/usr/lib/git-core/git-http-backend"
	if _, err := os.Stat(backend); err != nil {
		t.Skip("needs " + backend)
	}
	r := newRunner(t, ours(t))
	r.run(t, "git init -q -b main && echo one >a && git add a && git commit -qm one && git clone -q . ../down && echo two >a && git commit -qam two")
	head := strings.TrimSpace(strings.TrimPrefix(r.run(t, "git rev-parse HEAD~1"), "| "))
	honest := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.dir), "GIT_HTTP_EXPORT_ALL=1"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		answer := httptest.NewRecorder()
		honest.ServeHTTP(answer, q)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		if q.Method == "POST" {
			io.WriteString(w, "0035shallow "+head+"\n0000")
		}
		answer.Body.WriteTo(w)
	}))
	defer server.Close()
	got := r.run(t, "cd ../down && git fetch -q "+server.URL+"/work; cat .git/shallow")
	if !strings.Contains(got, "fatal: the pack that "+server.URL+"/work sent can't be used: it says that history ends") || !strings.Contains(got, "No such file") {
		t.Errorf("got\n%s", got)
	}
}
