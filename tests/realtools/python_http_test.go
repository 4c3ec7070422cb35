package realtools_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fetching is what a program of Python does with urllib and http.client. It prints what came of
// each part, and a traceback of nothing.
const fetching = `
import http.client, os, socket, sys, urllib.error, urllib.parse, urllib.request

plain, tls, closed = sys.argv[1:]

def report(name, part):
    try:
        print(name, part())
    except Exception as e:
        print(name, type(e).__name__, e)

def get(url, data=None, timeout=60):
    with urllib.request.urlopen(urllib.request.Request(url, data, {"X-Asked": "yes"}), timeout=timeout) as r:
        return r.status, urllib.parse.urlsplit(r.url).path, r.headers["X-Told"], r.read()

def stream():
    with urllib.request.urlopen(plain + "/large") as r:
        first = r.read(10)
        return first, sum(len(piece) for piece in iter(lambda: r.read(5000), b""))

def connection():
    c = http.client.HTTPConnection(urllib.parse.urlsplit(plain).netloc)
    for path in "/echo", "/x":
        c.request("PUT", path, body=iter([b"in ", b"pieces"]), headers={"Accept": "*/*"})
        r = c.getresponse()
        yield r.status, r.reason, r.read()

report("get", lambda: get(plain + "/x"))
report("post", lambda: get(plain + "/echo", b"a=b"))
report("large", lambda: len(get(plain + "/echo", b"x" * 300000)[3]))
report("redirect", lambda: get(plain + "/redirect"))
report("stream", stream)
report("connection", lambda: list(connection()))
report("again and again", lambda: len([urllib.request.urlopen(plain + "/x") for _ in range(40)]))
report("error", lambda: get(plain + "/missing"))
report("cut", lambda: get(plain + "/cut"))
report("timeout", lambda: get(plain + "/slow", timeout=0.5))
report("closed", lambda: get(closed))
report("elsewhere", lambda: get("http://elsewhere.example/"))
report("redirect elsewhere", lambda: get(plain + "/away"))
report("certificate", lambda: get(tls + "/x"))
report("socket", lambda: socket.create_connection(("127.0.0.1", 25)).recv(1))
`

// TestPythonHTTP has the CPython of our index, which is downloaded, fetch by its own library from
// servers on loopback that were allowed literally: TERRARIUM_LONG=1 asks for it.
func TestPythonHTTP(t *testing.T) {
	environ := pythonOfIndex(t)
	plain := httptest.NewServer(http.HandlerFunc(answer))
	defer plain.Close()
	tls := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0) // of a client that does not trust it
	tls.StartTLS()
	defer tls.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "fetch.py"), []byte(fetching), 0o666); err != nil {
		t.Fatal(err)
	}
	host := func(s *httptest.Server) string { return strings.SplitN(s.URL, "//", 2)[1] }
	fetch := func(args ...string) string {
		t.Helper()
		args = append([]string{"run", "--host", "wasm", "--mount", root}, args...)
		cmd := exec.Command(binary, append(args, "fetch.py", plain.URL, tls.URL, closed.URL)...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return string(out)
	}

	got := fetch("--net", host(plain), "--net", host(tls), "--net", host(closed), "--", "python3")
	want := strings.NewReplacer("CLOSED", host(closed)).Replace(fetched)
	if got != want {
		t.Errorf("allowed: got\n%swant\n%s", got, want)
	}
	got = fetch("--", "python3")
	if line, _, _ := strings.Cut(got, "\n"); !strings.HasSuffix(line, "there is no network in this sandbox: ask for terrarium's --net "+host(plain)+">") {
		t.Errorf("without --net: got %q, want what to ask for", line)
	}
	if runtime.GOOS == "linux" { // elsewhere no variable says whom Go trusts
		trusted := filepath.Join(t.TempDir(), "trusted.pem")
		block := &pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw}
		if err := os.WriteFile(trusted, pem.EncodeToMemory(block), 0o666); err != nil {
			t.Fatal(err)
		}
		environ = append(environ, "SSL_CERT_FILE="+trusted)
		got = fetch("--net", host(plain), "--net", host(tls), "--", "python3")
		if !strings.Contains(got, "\ncertificate (200, '/x', 'yes', b'GET ')\n") {
			t.Errorf("a certificate that is trusted: got\n%s", got)
		}
	}
	if got := fetch("--net", host(plain), "--", "python3", "-I"); !strings.Contains(got, "get AttributeError") {
		t.Errorf("-I: got\n%swant what CPython says itself", got)
	}
}

// fetched is what fetching prints.
const fetched = `get (200, '/x', 'yes', b'GET ')
post (200, '/echo', 'yes', b'POST a=b')
large 300005
redirect (200, '/x', 'yes', b'GET ')
stream (b'0123456789', 999990)
connection [(200, 'OK', b'PUT in pieces'), (200, 'OK', b'PUT ')]
again and again 40
error HTTPError HTTP Error 404: Not Found
cut ConnectionResetError [Errno 15] unexpected EOF
timeout URLError <urlopen error timed out>
closed URLError <urlopen error [Errno 14] connect to CLOSED: connection refused>
elsewhere URLError <urlopen error [Errno 2] elsewhere.example:80 is refused: it is listed by no rule; to allow it, add --net elsewhere.example:80>
redirect elsewhere URLError <urlopen error [Errno 2] elsewhere.example:80 is refused: it is listed by no rule; to allow it, add --net elsewhere.example:80>
certificate URLError <urlopen error [Errno 1] tls: failed to verify certificate: x509: certificate signed by unknown authority>
socket OSError [Errno 58] there are no sockets in this sandbox: a client of HTTP is all that works
`

// answer is what the servers say.
func answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Told", r.Header.Get("X-Asked"))
	switch r.URL.Path {
	case "/x", "/echo":
		body, _ := io.ReadAll(r.Body) // what is lacking is seen
		if r.URL.Path == "/x" {
			body = nil
		}
		fmt.Fprintf(w, "%s %s", r.Method, body)
	case "/large":
		for range 100_000 {
			io.WriteString(w, "0123456789")
		}
	case "/redirect":
		http.Redirect(w, r, "/x", http.StatusFound)
	case "/away":
		http.Redirect(w, r, "http://elsewhere.example/x", http.StatusFound)
	case "/cut":
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "cut")
	case "/slow":
		<-r.Context().Done()
	default:
		http.NotFound(w, r)
	}
}
