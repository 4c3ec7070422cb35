package netproxy_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

func TestEnv(t *testing.T) {
	c := newInternet(t).config()
	s := open(t, newProxy(t, c))
	url := variable(t, s, "HTTP_PROXY")
	if !strings.HasPrefix(url, "http://terrarium:") || !strings.HasSuffix(url, "@"+s.Addr().String()) {
		t.Errorf("got %q", url)
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		for _, name := range []string{name, strings.ToLower(name)} {
			if got := variable(t, s, name); got != url {
				t.Errorf("%s is %q, want %q", name, got, url)
			}
		}
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if got := variable(t, s, name); got != "localhost,127.0.0.1,::1,[::1]" {
			t.Errorf("%s is %q", name, got)
		}
	}
	if env := strings.Join(s.Env(), "\n"); strings.Contains(env, "GIT_SSH_COMMAND") {
		t.Errorf("no relay, but %q", env)
	}
}

// relay runs Relay with a session's variables.
func relay(t *testing.T, s *netproxy.Session, stdin string, args ...string) (string, error) {
	t.Setenv("ALL_PROXY", variable(t, s, "ALL_PROXY"))
	var out bytes.Buffer
	err := netproxy.Relay(args, strings.NewReader(stdin), &out)
	return out.String(), err
}

func TestRelay(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	n.server("8.8.8.8:22", listen(t, func(w *wire) {
		// The server speaks before the client does, perhaps in one packet with the answer.
		w.send("SSH-2.0-test\r\n")
		w.send("you said " + w.rest())
	}))
	n.server("[2606:4700::1]:22", listen(t, echo))
	s := open(t, newProxy(t, n.config()), "example.org:22", "[2606:4700::1]:22")
	if got, err := relay(t, s, "hello", "example.org", "22"); got != "SSH-2.0-test\r\nyou said hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, host := range []string{"2606:4700::1", "[2606:4700::1]"} {
		if got, err := relay(t, s, "hello", host, "22"); got != "hello" || err != nil {
			t.Errorf("%s: got %q, %v", host, got, err)
		}
	}
	for _, test := range []struct{ host, port, want string }{
		{"other.org", "22", "other.org:22 is refused: it is listed by no rule; to allow it, add --net other.org:22"},
		{"example.org", "0", "CONNECT needs HOST:PORT, with a port from 1 to 65535"},
		{"x\r\nX-Evil: 1", "22", ""},
		{"", "22", ""},
	} {
		got, err := relay(t, s, "", test.host, test.port)
		if err == nil || got != "" || strings.ContainsAny(err.Error(), "\r\n") || test.want != "" && err.Error() != test.want {
			t.Errorf("%q: got %q, %v", test.host, got, err)
		}
	}
	if _, err := relay(t, s, "", "example.org"); err == nil {
		t.Error("no port, and no error")
	}
	for _, proxy := range []string{"", "nonsense", "http://127.0.0.1:1", "socks5h://terrarium:secret@127.0.0.1:1", "http://terrarium:secret@%"} {
		t.Setenv("ALL_PROXY", proxy)
		if err := netproxy.Relay([]string{"example.org", "22"}, strings.NewReader(""), io.Discard); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", proxy, err)
		}
	}
}

// Servers on loopback may be the session's own, which the proxy can't tell.
func TestRelayLoopback(t *testing.T) {
	n := newInternet(t)
	s := open(t, newProxy(t, n.config()))
	_, port, err := net.SplitHostPort(listen(t, echo))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := relay(t, s, "hello", "127.0.0.1", port); got != "hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	n.untouched(t)
}

// The relay's command goes through git's shell, ssh and ssh's shell, whatever is in its words.
func TestSSHCommandIsQuoted(t *testing.T) {
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("ssh is not installed")
	}
	dir := filepath.Join(t.TempDir(), `a 'b' "c" $HOME %h ;#`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "show")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '<%s>' \"$@\" >\"${0%/*}/args\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := newInternet(t).config()
	c.RelayCommand = []string{program, "", `it's %p "$HOME"` + "\\", "relay"}
	s := open(t, newProxy(t, c))
	cmd := exec.Command("sh", "-c", variable(t, s, "GIT_SSH_COMMAND")+" -F none host.example.org -p 2222")
	cmd.Env = append(os.Environ(), "SHELL=/bin/sh")
	out, _ := cmd.CombinedOutput() // an error, as the program is no server
	got, err := os.ReadFile(filepath.Join(dir, "args"))
	if want := `<><it's %p "$HOME"\><relay><host.example.org><2222>`; string(got) != want {
		t.Errorf("got %q, %v, want %q\n%s", got, err, want, out)
	}
}
