package tests

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// fetched is a verb: it starts a server on loopback, whose HOST:PORT is $ADDR. It has
//
//	/hello        a line
//	/echo         what it is sent
//	/moved        a redirect to a port of loopback that nobody names
//	/endless      a body without end
//	/git/NAME     repositories in the script's directory NAME, where git has its server
func fetched(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: fetched")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	mux.Handle("/moved", http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for b := make([]byte, 32<<10); r.Context().Err() == nil; {
			w.Write(b)
		}
	})
	mux.Handle("/git/", &cgi.Handler{
		Path: gitBackend(), Root: "/git",
		Env: []string{"GIT_PROJECT_ROOT=" + ts.Getenv("WORK"), "GIT_HTTP_EXPORT_ALL=1", "HOME=" + ts.Getenv("HOME")},
	})
	s := httptest.NewServer(mux)
	ts.Defer(s.Close)
	ts.Setenv("ADDR", s.Listener.Addr().String())
}

// gitBackend is git's server, a program for CGI, or "" where it is not installed.
func gitBackend() string {
	dir, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return ""
	}
	backend := filepath.Join(strings.TrimSpace(string(dir)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		return ""
	}
	return backend
}
