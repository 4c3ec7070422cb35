package fleet

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patience is how long a test waits for what has to come.
const patience = 2 * time.Minute

// stateDir returns where a state directory can be made.
func stateDir(t testing.TB) string { return filepath.Join(t.TempDir(), "state") }

// serve starts a server on a free port, until the test ends.
func serve(t testing.TB, c ServerConfig) *Server {
	t.Helper()
	if c.Dir == "" {
		c.Dir = stateDir(t)
	}
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	s, err := Serve(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestServe has what a stream holds survive the server.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	dir := stateDir(t)
	s := serve(t, ServerConfig{Dir: dir, Open: true})
	stream := func() (jetstream.JetStream, *nats.Conn) {
		nc, err := nats.Connect(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		return js, nc
	}
	js, nc := stream()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, "x", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	nc.Close()
	s.Close()
	s = serve(t, ServerConfig{Dir: dir, Open: true})
	js, nc = stream()
	defer nc.Close()
	found, err := js.Stream(ctx, "X")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := found.GetMsg(ctx, 1); err != nil || string(m.Data) != "kept" {
		t.Errorf("got %v, %v, want what was published before", m, err)
	}
}

// TestServeRefuses tries what a server can't be started with.
func TestServeRefuses(t *testing.T) {
	s := serve(t, ServerConfig{Open: true})
	used := stateDir(t)
	serve(t, ServerConfig{Dir: used})
	for _, c := range []struct {
		config ServerConfig
		want   string
	}{
		{ServerConfig{Addr: "0.0.0.0:0"}, ErrPlain.Error()},
		{ServerConfig{Addr: ":0"}, ErrPlain.Error()},
		{ServerConfig{Addr: "127.0.0.1"}, "missing port"},
		{ServerConfig{Addr: "127.0.0.1:x"}, "want a port"},
		{ServerConfig{Addr: strings.TrimPrefix(s.URL(), "nats://")}, "address already in use"},
		{ServerConfig{Addr: "127.0.0.1:0", Dir: used}, errServed.Error()},
		{ServerConfig{Addr: "127.0.0.1:0", Dir: "/dev/null/x"}, "not a directory"},
	} {
		if c.config.Dir == "" {
			c.config.Dir = stateDir(t)
		}
		s, err := Serve(c.config)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Serve(%+v): got %v, want %q", c.config, err, c.want)
		}
	}
	if _, err := Serve(ServerConfig{Dir: stateDir(t), Addr: "192.0.2.1:1"}); !errors.Is(err, ErrPlain) {
		t.Errorf("got %v, want %v", err, ErrPlain)
	}
}

// A deafConn is a connection that is not read any longer once it is deaf.
type deafConn struct {
	net.Conn
	deaf, closed chan struct{}
	closing      sync.Once
}

func (c *deafConn) Read(p []byte) (int, error) {
	select {
	case <-c.deaf:
		<-c.closed
		return 0, net.ErrClosed
	default:
		return c.Conn.Read(p)
	}
}

func (c *deafConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// Dial implements nats.CustomDialer.
func (c *deafConn) Dial(network, addr string) (net.Conn, error) {
	conn, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	c.Conn = conn
	return c, conn.(*net.TCPConn).SetReadBuffer(64 << 10)
}

// TestDeafConnection has a connection read nothing of what it has asked for. The server keeps no
// more than maxPending for it, and ends it.
func TestDeafConnection(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	conn := &deafConn{deaf: make(chan struct{}), closed: make(chan struct{})}
	deaf, err := nats.Connect(s.URL(), nats.SetCustomDialer(conn), nats.Name("deaf"), nats.NoReconnect(), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	if _, err := deaf.SubscribeSync("much"); err != nil {
		t.Fatal(err)
	}
	if err := deaf.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
	close(conn.deaf)
	loud := newClient(t, s)
	most := 0
	isThere := func() (there bool) {
		all, err := s.nats.Connz(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Conns {
			if c.Name == "deaf" {
				most, there = max(most, c.Pending), true
			}
		}
		return there
	}
	for range 48 {
		if err := loud.nats.Publish("much", make([]byte, maxPayload)); err != nil {
			t.Fatal(err)
		}
		if err := loud.nats.FlushTimeout(patience); err != nil {
			t.Fatal(err)
		}
		isThere()
	}
	for end := time.Now().Add(patience); isThere(); {
		if time.Now().After(end) {
			t.Fatal("it is not ended")
		}
	}
	if most > 16<<20 {
		t.Errorf("%d bytes waited for one connection, want at most 16 MiB", most)
	}
}

// certificate returns one for this machine that nobody has signed but itself.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fleet"}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

// TestServeTLS listens on all addresses. Who does not encrypt is refused, and who changes tenants
// takes no other certificate.
func TestServeTLS(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	dir := stateDir(t)
	config, pool := certificate(t)
	s := serve(t, ServerConfig{Dir: dir, Addr: "0.0.0.0:0", TLS: config})
	if !strings.HasPrefix(s.URL(), "tls://localhost:") {
		t.Errorf("got %s, want a name of the certificate", s.URL())
	}
	list := tenants(t, ctx, dir)
	if err := list.Add(ctx, "acme", Limits{}); err != nil {
		t.Fatal(err)
	}
	creds, err := list.AddUser(ctx, "acme", "ada")
	if err != nil {
		t.Fatal(err)
	}
	list.Close()
	for what, c := range map[string]struct {
		option nats.Option
		ok     bool
	}{
		"its certificate is known": {nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}), true},
		"it is not":                {nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}), false},
	} {
		conn, err := nats.Connect(s.URL(), c.option, nats.UserCredentials(creds), nats.NoReconnect(), nats.Timeout(patience))
		if err == nil {
			conn.Close()
		}
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v, want ok %v", what, err, c.ok)
		}
	}
	// What is written to one that wants TLS, and does not encrypt, is the end of it.
	plain, err := net.Dial("tcp", strings.TrimPrefix(s.url(true), "tls://"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	plain.SetDeadline(time.Now().Add(patience))
	if _, err := plain.Write([]byte("CONNECT {}\r\nPING\r\n")); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 64<<10)
	n := 0
	for err == nil {
		var more int
		more, err = plain.Read(said[n:])
		n += more
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || strings.Contains(string(said[:n]), "PONG") {
		t.Errorf("without TLS: got %q, %v, want the end", said[:n], err)
	}
	control, err := findServer(dir)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := openKeyring(dir)
	if err != nil {
		t.Fatal(err)
	}
	control.how = []nats.Option{nats.Secure(pinned(make([]byte, 32)))}
	if err := control.connect(keys.system); err == nil {
		control.close()
		t.Error("another certificate was taken")
	}
}
