package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// What a server holds at the most, unless ServerConfig says otherwise.
const (
	defaultMemory = 64 << 20 // bytes of JetStream in memory: requests that wait
	defaultDisk   = 1 << 30  // bytes of JetStream in the state directory
	// maxPayload is NATS's own default, in bytes. A link cuts frames to half of it.
	maxPayload = 1 << 20
	// maxPending is how many bytes may wait for one connection: the windows of 32 links. One that
	// lets more wait is closed, and its links go on over the next.
	maxPending = 32 * window
	maxConns   = 16 << 10
	// readyTime is how long a server may take to start: it reads its state from the disk.
	readyTime = 2 * time.Minute
	// greetTime is for how many seconds a connection may take to show credentials.
	greetTime = 20
)

// A ServerConfig says what to serve. All but Dir may be zero.
type ServerConfig struct {
	Dir    string      // the state directory, ours alone; it is made if it is not there
	Open   bool        // there are no tenants: whoever can connect may do all
	Addr   string      // host:port; "": 127.0.0.1:4222; port 0: a free one
	TLS    *tls.Config // nil: plain text, which only a loopback address may have
	Memory int64       // bytes of JetStream in memory; 0: 64 MiB
	Disk   int64       // bytes of JetStream in Dir; 0: 1 GiB
}

// A Server is a NATS server with JetStream in this process. It writes to no standard stream and
// heeds no signal. Its methods may be called from any goroutine.
type Server struct {
	nats    *server.Server
	dir     string
	cert    *x509.Certificate // nil: plain text
	unlock  func()
	closing sync.Once
}

// defaultAddr is where NATS is.
const defaultAddr = "127.0.0.1:4222"

// ErrPlain is why a server does not listen where others could listen in.
var ErrPlain = errors.New("beyond this machine a fleet needs TLS: give it a certificate")

// Serve starts a server, and returns when it can be connected to, by those whose credentials the
// [Tenants] of Dir have made. Close ends it.
func Serve(c ServerConfig) (_ *Server, err error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	if err := private.MkdirAll(c.Dir); err != nil {
		return nil, err
	}
	s := &Server{dir: c.Dir}
	if err := s.lock(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	// What a server has left that was killed says where it was.
	if err := os.Remove(filepath.Join(c.Dir, serverFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if !c.Open {
		if err := s.admit(options); err != nil {
			return nil, err
		}
	}
	if err := s.start(options); err != nil {
		return nil, err
	}
	if c.TLS != nil {
		if s.cert, err = x509.ParseCertificate(c.TLS.Certificates[0].Certificate[0]); err != nil {
			return nil, err
		}
	}
	if c.Open {
		return s, nil
	}
	return s, s.open()
}

// lock has the state directory be ours. Who only changes tenants is waited for.
func (s *Server) lock() error {
	return patiently(context.Background(), func() (err error) {
		s.unlock, err = lock(s.dir)
		if _, served := os.Lstat(filepath.Join(s.dir, serverFile)); errors.Is(err, errLocked) && served == nil {
			return fmt.Errorf("%s: %w", s.dir, errServed)
		}
		return err
	})
}

// Check says why there can't be a server: it is no address, or ErrPlain.
func (c *ServerConfig) Check() error {
	_, _, err := c.address()
	return err
}

// options are what the server is told.
func (c *ServerConfig) options() (*server.Options, error) {
	host, port, err := c.address()
	if err != nil {
		return nil, err
	}
	return &server.Options{
		ServerName: "terrarium",
		Host:       host, Port: port,
		TLSConfig: c.TLS, TLSTimeout: greetTime, AuthTimeout: greetTime,
		NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		JetStream: true, StoreDir: filepath.Join(c.Dir, jetStreamDir),
		JetStreamMaxMemory: cmp.Or(c.Memory, defaultMemory), JetStreamMaxStore: cmp.Or(c.Disk, defaultDisk),
		MaxConn: maxConns, MaxPayload: maxPayload, MaxPending: maxPending,
	}, nil
}

// admit has the server know its tenants.
func (s *Server) admit(options *server.Options) error {
	keys, err := openKeyring(s.dir)
	if err != nil {
		return err
	}
	operator, err := keys.operatorClaims()
	if err != nil {
		return err
	}
	options.TrustedOperators = []*jwt.OperatorClaims{operator}
	options.SystemAccount = keys.systemKey
	options.AccountResolver, err = server.NewDirAccResolver(filepath.Join(s.dir, accountsDir), 0, 0, server.HardDelete)
	return err
}

// start returns when the server can be connected to.
func (s *Server) start(options *server.Options) (err error) {
	if s.nats, err = server.NewServer(options); err != nil {
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	said := new(complaints)
	s.nats.SetLoggerV2(said, false, false, false)
	s.nats.Start() // returns at once where it has complained
	switch err := said.first(); {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s: %w", net.JoinHostPort(options.Host, strconv.Itoa(options.Port)), syscall.EADDRINUSE)
	case err != nil:
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	if !s.nats.ReadyForConnections(readyTime) {
		return fmt.Errorf("%s: the server has not started in %v", s.dir, readyTime)
	}
	return nil
}

// open makes what each tenant needs, and says where the server is to who changes tenants.
func (s *Server) open() error {
	ctx := context.Background() // prepare has a time of its own
	accounts, err := signers(s.dir)
	if err != nil {
		return err
	}
	inside := &control{how: []nats.Option{nats.InProcessServer(s.nats)}}
	for _, account := range accounts {
		if err := inside.prepare(ctx, account); err != nil {
			return fmt.Errorf("%s: a tenant's queue: %w", s.dir, err)
		}
	}
	state := serverState{URL: s.url(true)}
	if s.cert != nil {
		sum := sha256.Sum256(s.cert.Raw)
		state.Certificate = hex.EncodeToString(sum[:])
	}
	b, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return writePrivate(filepath.Join(s.dir, serverFile), b)
}

// address takes Addr apart, and says why a server can't be there.
func (c *ServerConfig) address() (host string, port int, err error) {
	addr := cmp.Or(c.Addr, defaultAddr)
	host, digits, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("%s: want a port from 0 to 65535", addr)
	}
	if c.TLS == nil && !isLoopback(host) {
		return "", 0, fmt.Errorf("%s: %w", addr, ErrPlain)
	}
	if port = int(n); port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// isLoopback reports whether only this machine can connect to the host.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// URL is where to connect to: nats://HOST:PORT, or tls://HOST:PORT. Where the server listens on all
// addresses, HOST is a name that its certificate is for.
func (s *Server) URL() string { return s.url(false) }

// url is URL, or that for programs on this machine.
func (s *Server) url(here bool) string {
	addr := s.nats.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	switch {
	case !addr.IP.IsUnspecified():
	case here || s.cert == nil:
		host = "127.0.0.1"
	case len(s.cert.DNSNames) > 0:
		host = s.cert.DNSNames[0]
	case len(s.cert.IPAddresses) > 0:
		host = s.cert.IPAddresses[0].String()
	}
	scheme := "nats://"
	if s.cert != nil {
		scheme = "tls://"
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}

// Close ends all connections, writes what is to be kept, and waits until nothing of the server is
// left. It may be called more than once.
func (s *Server) Close() error {
	s.closing.Do(func() {
		os.Remove(filepath.Join(s.dir, serverFile)) // first: who finds none waits for the lock
		if s.nats != nil {
			s.nats.Shutdown()
			s.nats.WaitForShutdown()
		}
		s.unlock()
	})
	return nil
}

// complaints is a logger of the server that keeps why it can't go on.
type complaints struct {
	mu  sync.Mutex // guards why
	why error
}

// Fatalf implements server.Logger. The server's own loggers end the program here.
func (c *complaints) Fatalf(format string, v ...any) {
	said := &complaint{text: fmt.Sprintf(format, v...)}
	for _, arg := range v {
		if err, ok := arg.(error); ok {
			said.err = err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = said
	}
}

// A complaint is what the server says, and the error that it has put into that, or nil.
type complaint struct {
	text string
	err  error
}

func (c *complaint) Error() string { return c.text }
func (c *complaint) Unwrap() error { return c.err }

func (c *complaints) first() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

func (c *complaints) Noticef(string, ...any) {}
func (c *complaints) Warnf(string, ...any)   {}
func (c *complaints) Errorf(string, ...any)  {}
func (c *complaints) Debugf(string, ...any)  {}
func (c *complaints) Tracef(string, ...any)  {}
