package hostnative_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// Where the network is open, commands reach any address, by datagrams too: so they look up names.
// All else is as where it is closed: no unix sockets, no servers but on loopback, no sockets of
// other kinds, none of the ways round what is asked.
func TestOpenNet(t *testing.T) {
	h, root := connecting(t, hostnative.Sandbox{OpenNet: true})
	tcp, met := listenOutside(t, "tcp4", "127.0.0.1:0")
	path, metPath := listenOutside(t, "unix", filepath.Join(t.TempDir(), "socket"))
	abstract, metAbstract := listenOutside(t, "unix", "@terrarium-test-"+filepath.Base(root))
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() { // ends with the server
		b := make([]byte, 100)
		for {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			server.WriteTo([]byte("answer to "+string(b[:n])), from)
		}
	}()
	udp := server.LocalAddr().String()
	for _, test := range []struct{ verb, want string }{
		{"connect " + tcp.Addr().String(), "ok"},
		{"poll " + tcp.Addr().String(), "ok"},
		{"ask " + udp, "answer to asked"},
		{"send " + udp, "ok"},
		{"udpbind 0.0.0.0:0", "ok"},
		{"serve 0.0.0.0:0", "127.0.0.1:*"}, // and nobody else gets there
		{"listen 0.0.0.0:0", "127.0.0.1"},
		{"pair 1", "ok"},
		{"fastopen " + tcp.Addr().String(), "ENOTSUP"},
		{"options", "ok"},
		{"connect " + path.Addr().String(), "EACCES"},
		{"connect " + abstract.Addr().String(), "EACCES"},
		{"bind @mine", "EACCES"},
		{"bind " + filepath.Join(filepath.Dir(path.Addr().String()), "mine"), "EACCES"},
		{"bind 8.8.8.8:0", "EACCES"},
		{"udpbind 127.0.0.1:40000", "EACCES"},
		{"udpbind 0.0.0.0:5353", "EACCES"},
		{"udplisten 127.0.0.1:0", "ENOTSUP"},
		{"unspec 127.0.0.1:0", "EAFNOSUPPORT"},
		{"socket 1 2 0", "EACCES"},            // AF_UNIX, SOCK_DGRAM
		{"socket 1 5 0", "EACCES"},            // SOCK_SEQPACKET
		{"pair 2", "EACCES"},                  // which could send to any path
		{"socket 2 3 1", "EACCES"},            // SOCK_RAW
		{"socket 2 3 255", "EACCES"},          // IPPROTO_RAW
		{"socket 2 2 1", "EPROTONOSUPPORT"},   // IPPROTO_ICMP
		{"socket 2 2 136", "EPROTONOSUPPORT"}, // UDPLite
		{"socket 2 1 132", "EPROTONOSUPPORT"}, // SCTP
		{"socket 2 1 262", "EPROTONOSUPPORT"}, // Multipath TCP
		{"socket 16 3 0", "EAFNOSUPPORT"},     // AF_NETLINK
		{"socket 17 3 0", "EAFNOSUPPORT"},     // AF_PACKET
		{"socket 38 5 0", "EAFNOSUPPORT"},     // AF_ALG
		{"socket 40 1 0", "EAFNOSUPPORT"},     // AF_VSOCK
	} {
		out, _ := run(t, h, sockets(t, root, test.verb))
		if got := outputLines(out); len(got) == 0 || !match(test.want, got[0]) {
			t.Errorf("%s: got %q, want %s", test.verb, out, test.want)
		}
	}
	if n := met(); n != 2 {
		t.Errorf("got %d connections, want 2", n)
	}
	if metPath()+metAbstract() != 0 {
		t.Error("unix sockets of others were reached")
	}
}

// A closed network lets no datagram out, by no socket that an open one would have.
func TestClosedNet(t *testing.T) {
	h, root := connecting(t, hostnative.Sandbox{})
	verbs := []string{"send 127.0.0.1:9", "ask 127.0.0.1:9", "udpbind 0.0.0.0:0", "socket 2 2 17", "socket 10 2 0", "pair 2"}
	out, _ := run(t, h, sockets(t, root, verbs...))
	checkLines(t, out, slices.Repeat([]string{"EACCES"}, len(verbs))...)
}

// An open network and a list exclude each other: nobody would know which holds.
func TestOpenNetAndList(t *testing.T) {
	_, err := hostnative.New(hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxStrict, Roots: []string{t.TempDir()}, OpenNet: true, Net: []egress.Rule{rule(t, "10.0.0.1")},
	}})
	if err == nil || !strings.Contains(err.Error(), "an open network has no list") {
		t.Errorf("got %v", err)
	}
}

// What a program keeps secret in its own directory is shown to it, and nothing else is: no secrets
// of others, none that a link leads to, and none of our own files.
func TestShow(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	home, root := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for name, text := range map[string]string{
		".claude/.credentials.json": "login", ".claude/rules/policy": "rules", ".codex/auth.json": "other", ".ssh/id": "key",
	} {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	claude := filepath.Join(home, ".claude")
	if err := os.Symlink("../.ssh", filepath.Join(claude, "link")); err != nil {
		t.Fatal(err)
	}
	state, later := filepath.Join(root, "state"), filepath.Join(root, "later")
	if err := os.Symlink(claude, state); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{root}, Private: t.TempDir(),
		Show: []string{state, later}, Own: []string{filepath.Join(claude, "rules")},
	}})
	read := func(session core.SessionID, name string, shown bool) {
		t.Helper()
		c := line(`cat "$1"`, name)
		c.Cwd, c.Session = root, session
		if out, exit := run(t, h, c); (exit.Status == core.ExitStatus{}) != shown {
			t.Errorf("%s: got %v, %q, want it shown: %v", name, exit.Status, out, shown)
		}
	}
	read("one", filepath.Join(claude, ".credentials.json"), true)
	for _, name := range []string{".claude/rules/policy", ".claude/link/id", ".codex/auth.json", ".ssh/id"} {
		read("one", filepath.Join(home, name), false)
	}

	// A command that makes a link where a directory may be shown has not got what it leads to, not
	// in a new session either.
	c := line(`rm state; ln -s "$1" state; ln -s "$1" later`, filepath.Join(home, ".ssh"))
	c.Cwd, c.Session = root, "one"
	if out, exit := run(t, h, c); exit.Status != (core.ExitStatus{}) {
		t.Fatalf("got %v, %q", exit.Status, out)
	}
	for _, name := range []string{filepath.Join(home, ".ssh/id"), filepath.Join(state, "id"), filepath.Join(later, "id")} {
		read("two", name, false)
	}
	read("two", filepath.Join(claude, ".credentials.json"), true)
}

// What is no path shows nothing.
func TestShowRelative(t *testing.T) {
	_, err := hostnative.New(hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxStrict, Roots: []string{t.TempDir()}, Show: []string{"state"},
	}})
	if err == nil || !strings.Contains(err.Error(), "not an absolute path") {
		t.Errorf("got %v", err)
	}
}
