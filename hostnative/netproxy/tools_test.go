package netproxy_test

import (
	"bufio"
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

// A toolbox runs what people use, with a session's variables and nothing else to go by.
type toolbox struct {
	t   *testing.T
	dir string
	env []string
}

// newToolbox serves files below https://example.com and http://example.com.
func newToolbox(t *testing.T, files http.Handler) (toolbox, *internet) {
	dir := t.TempDir()
	n := newInternet(t)
	n.name("example.com", "8.8.8.8")
	plain, secure := httptest.NewServer(files), httptest.NewUnstartedServer(files)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS() // its certificate is example.com's
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	n.server("8.8.8.8:80", plain.Listener.Addr().String())
	n.server("8.8.8.8:443", secure.Listener.Addr().String())
	n.server("8.8.8.8:22", listen(t, func(w *wire) {
		line, _ := w.r.ReadString('\n')
		w.send("SSH-2.0-test\r\n")
		if !strings.HasPrefix(line, "SSH-2.0-") {
			t.Errorf("the server got %q", line)
		}
	}))
	c := n.config()
	c.RelayCommand = []string{os.Args[0], asRelay}
	s := open(t, netproxy.New(c), "example.com", "example.com:22")
	t.Cleanup(func() { s.Close() })
	certificate := filepath.Join(dir, "certificate")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(s.Env(), "HOME="+dir, "PATH="+os.Getenv("PATH"), "LC_ALL=C", "SHELL=/bin/sh", "GIT_TERMINAL_PROMPT=0")
	for _, name := range []string{"SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CARGO_HTTP_CAINFO"} {
		env = append(env, name+"="+certificate)
	}
	// Programs that are installed for the person who runs the tests.
	for _, name := range []string{"PYENV_ROOT", "RUSTUP_HOME", "CARGO_HOME"} {
		env = append(env, name+"="+os.Getenv(name))
	}
	if home, err := os.UserHomeDir(); err == nil {
		env = append(env, "PYENV_ROOT="+filepath.Join(home, ".pyenv"), "RUSTUP_HOME="+filepath.Join(home, ".rustup"))
	}
	return toolbox{t, dir, env}, n
}

// run returns what a command has written. Where its program is missing it skips the test.
func (b toolbox) run(command ...string) string {
	b.t.Helper()
	program, err := exec.LookPath(command[0])
	if err != nil {
		b.t.Skipf("%s is not installed", command[0])
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, command[1:]...)
	cmd.Env, cmd.Dir = b.env, b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}

// used fails the test if nothing went through the proxy to where the command should go.
func (n *internet) used(t *testing.T) {
	t.Helper()
	if _, dialled := n.seen(); len(dialled) == 0 {
		t.Error("the command did not use the proxy")
	}
}

func text(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("it works\n")) }

const (
	python = `import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())`
	node   = `fetch(process.argv[1]).then(r => r.text()).then(console.log)`
)

// Tools reach a host that is listed, and some tell why they don't reach another.
func TestTools(t *testing.T) {
	const why = "other.org:443 is refused: it is listed by no rule"
	for name, test := range map[string]struct {
		command []string // and the URL
		refused string   // what it says of https://other.org/
	}{
		"curl":     {[]string{"curl", "-sS"}, "response 403"},
		"socks":    {[]string{"curl", "-sS"}, "(97)"},
		"wget":     {[]string{"wget", "-nv", "-O-", "--tries=1", "--ca-certificate=certificate"}, why},
		"python":   {[]string{"python3", "-c", python}, why},
		"requests": {[]string{"python3", "-c", "import sys, requests; print(requests.get(sys.argv[1]).text)"}, why},
		"node":     {[]string{"node", "-e", node}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := newToolbox(t, http.HandlerFunc(text))
			switch name {
			case "requests":
				if strings.Contains(b.run("python3", "-c", "import requests"), "ModuleNotFound") {
					t.Skip("requests is not installed")
				}
			case "node":
				if major, _ := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(b.run("node", "--version"))); major < 24 {
					t.Skipf("node %d reads no variables", major)
				}
			case "socks": // the same port, for programs that are told so
				for i, v := range b.env {
					if strings.Contains(v, "=http://terrarium:") {
						b.env[i] = strings.Replace(v, "=http://", "=socks5h://", 1)
					}
				}
			}
			for _, url := range []string{"http://example.com/", "https://example.com/"} {
				if out := b.run(append(test.command, url)...); !strings.Contains(out, "it works") {
					t.Errorf("%s: got %s", url, out)
				}
			}
			n.used(t)
			if out := b.run(append(test.command, "https://other.org/")...); !strings.Contains(out, test.refused) {
				t.Errorf("refused: got %s", out)
			}
		})
	}
}

func TestGit(t *testing.T) {
	files := t.TempDir()
	b, n := newToolbox(t, http.FileServer(http.Dir(files)))
	for _, command := range [][]string{
		{"init", "-q", "work"},
		{"-C", "work", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "first"},
		{"clone", "-q", "--bare", "work", filepath.Join(files, "it.git")},
		{"-C", filepath.Join(files, "it.git"), "update-server-info"},
	} {
		if out := b.run(append([]string{"git"}, command...)...); out != "" {
			t.Fatalf("git %q: %s", command, out)
		}
	}
	if out := b.run("git", "clone", "-q", "https://example.com/it.git"); out != "" {
		t.Errorf("got %s", out)
	}
	if out := b.run("git", "-C", "it", "log", "--format=%s"); out != "first\n" {
		t.Errorf("got %s", out)
	}
	n.used(t)
	if out := b.run("git", "clone", "-q", "https://other.org/it.git", "other"); !strings.Contains(out, "response 403") {
		t.Errorf("got %s", out)
	}
}

// Git reaches a server by ssh: it is asked for its version, and says no more.
func TestGitSSH(t *testing.T) {
	b, n := newToolbox(t, http.NotFoundHandler())
	b.run("ssh", "-V")
	out := b.run("git", "clone", "-q", "ssh://git@example.com/it.git")
	if _, dialled := n.seen(); len(dialled) != 1 || dialled[0].String() != "8.8.8.8:22" {
		t.Errorf("dialled %v: %s", dialled, out)
	}
	out = b.run("git", "clone", "-q", "git@other.org:it.git")
	if !strings.Contains(out, "other.org:22 is refused: it is listed by no rule") {
		t.Errorf("got %s", out)
	}
}

func TestGo(t *testing.T) {
	b, n := newToolbox(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch filepath.Base(r.URL.Path) {
		case "list":
			w.Write([]byte("v1.2.3\n"))
		case "v1.2.3.info":
			w.Write([]byte(`{"Version":"v1.2.3"}`))
		case "v1.2.3.mod":
			w.Write([]byte("module example.net/it\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	if err := os.WriteFile(filepath.Join(b.dir, "go.mod"), []byte("module x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, "GOFLAGS=-mod=mod", "GONOSUMDB=*", "GOTOOLCHAIN=local")
	proxy := func(url string) { b.env = append(b.env, "GOPROXY="+url) }
	proxy("https://example.com")
	if out := b.run("go", "list", "-m", "-versions", "example.net/it"); out != "example.net/it v1.2.3\n" {
		t.Errorf("got %s", out)
	}
	n.used(t)
	proxy("https://other.org")
	if out := b.run("go", "list", "-m", "-versions", "example.net/it2"); !strings.Contains(out, "other.org:443 is refused") {
		t.Errorf("got %s", out)
	}
}

func TestPip(t *testing.T) {
	b, n := newToolbox(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<!DOCTYPE html><a href="/it-1.2.3.tar.gz">it-1.2.3.tar.gz</a>`))
	}))
	pip := []string{"python3", "-m", "pip", "--no-input", "--disable-pip-version-check", "index", "versions", "it", "--retries", "0", "--index-url"}
	if out := b.run("python3", "-m", "pip", "--version"); strings.Contains(out, "No module") {
		t.Skip("pip is not installed")
	}
	if out := b.run(append(pip, "https://example.com/simple")...); !strings.Contains(out, "it (1.2.3)") {
		t.Errorf("got %s", out)
	}
	n.used(t)
}

func TestNpm(t *testing.T) {
	b, n := newToolbox(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"name":"it","dist-tags":{"latest":"1.2.3"},"versions":{"1.2.3":{"name":"it","version":"1.2.3","dist":{}}}}`))
	}))
	for _, scheme := range []string{"http", "https"} {
		out := b.run("npm", "view", "it", "version", "--fetch-retries=0", "--strict-ssl=false", "--no-update-notifier", "--registry="+scheme+"://example.com/")
		if lines := bufio.NewScanner(strings.NewReader(out)); !lines.Scan() || lines.Text() != "1.2.3" {
			t.Errorf("%s: got %s", scheme, out)
		}
	}
	n.used(t)
}
