package tests

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
)

// A stranger is a NATS client with credentials of the fleet, and none of its programs.
type stranger struct {
	*fleetBox
	nats    *nats.Conn
	key     string
	refused chan string // what the server does not permit
}

func (b *fleetBox) stranger(creds string) *stranger {
	b.Helper()
	file, err := os.ReadFile(creds)
	if err != nil {
		b.Fatal(err)
	}
	token, err := jwt.ParseDecoratedJWT(file)
	if err != nil {
		b.Fatal(err)
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		b.Fatal(err)
	}
	s := &stranger{fleetBox: b, key: claims.Subject, refused: make(chan string, 100)}
	for range 3 { // as terrarium does: a busy server may ask whether we are there before it answers
		s.nats, err = nats.Connect(b.url, nats.UserCredentials(creds), nats.Timeout(patience), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			s.refused <- err.Error()
		}))
		if err == nil || !strings.Contains(err.Error(), "expected 'PONG'") {
			break
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.nats.Close)
	return s
}

// hears subscribes, and returns what comes.
func (s *stranger) hears(subject string) chan *nats.Msg {
	s.Helper()
	c := make(chan *nats.Msg, 1<<16)
	if _, err := s.nats.ChanSubscribe(subject, c); err != nil {
		s.Fatal(err)
	}
	if err := s.nats.FlushWithContext(limited(s.T)); err != nil {
		s.Fatal(err)
	}
	return c
}

func (s *stranger) says(subject string, data []byte) {
	s.Helper()
	if err := s.nats.Publish(subject, data); err != nil {
		s.Fatal(err)
	}
}

// isRefused waits until the server says that it does not permit that.
func (s *stranger) isRefused(what string) {
	s.Helper()
	select {
	case got := <-s.refused:
		if !strings.Contains(got, "Permissions Violation") || !strings.Contains(got, what) {
			s.Errorf("got %s, want that it does not permit %s", got, what)
		}
	case <-limited(s.T).Done():
		s.Errorf("the server permits %s", what)
	}
}

// next waits for a frame with that in it.
func (s *stranger) next(frames chan *nats.Msg, is func(m *nats.Msg) bool, what string) *nats.Msg {
	s.Helper()
	ctx := limited(s.T)
	for {
		select {
		case m := <-frames:
			if is(m) {
				return m
			}
		case <-ctx.Done():
			s.Fatalf("never: %s", what)
		}
	}
}

// TestFleetStrangers has others than its user try a session: one of another tenant finds no worker,
// another user of the tenant neither hears nor says anything in it, and what was said in it before
// is refused when it is said again. The session goes on.
func TestFleetStrangers(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newFleetBox(t)
	add := func(tenant, user string) string {
		t.Helper()
		p := b.start("", "fleet", "tenant", "add", tenant, "--dir", b.dir, "--user", user)
		if status := b.status(p); status != 0 {
			t.Fatalf("got %d and %s", status, &p.errs)
		}
		return filepath.Join(b.dir, "tenants", tenant, user+".creds")
	}
	ada, eve := add("acme", "ada"), b.stranger(add("default", "eve"))
	own := b.stranger(b.user)
	frames := own.hears("terrarium.session." + own.key + ".>")
	b.join("w", 2)
	end := filepath.Join(t.TempDir(), "end")
	run := b.run(fmt.Sprintf("echo $$; while ! test -e '%s'; do sleep 0.05; done; echo end", end))
	b.pid(run)

	// Of another tenant: there is a worker with a free slot.
	for _, within := range []string{"3s", "30s"} {
		other := b.start("NATS_CREDS="+ada, "run", "--on", "fleet:"+b.url, "--place-timeout", within, "--cwd", "/", "--", "true")
		status := b.status(other)
		said := other.errs.String()
		if status == 125 && strings.HasPrefix(said, "terrarium: fleet:"+b.url+": ") && strings.Contains(said, ": no place within "+within+": no worker has ") {
			break
		}
		// A busy machine may not come to ask for a place in 3 s.
		if status != 125 || within == "30s" {
			t.Errorf("another tenant: got %d and %q, want that there is no worker", status, said)
		}
	}

	// Of another user: its frames are known, and the server keeps them apart all the same.
	sent := func(k byte) func(m *nats.Msg) bool {
		return func(m *nats.Msg) bool {
			return strings.Contains(m.Subject, ".far.") && len(m.Data) > 0 && m.Data[0] == k
		}
	}
	const open, refused, data = 1, 3, 4 // kinds, as message.go has them
	opened := own.next(frames, sent(open), "the session is opened")
	hello := own.next(frames, sent(data), "a hello is sent")
	heard := eve.hears("terrarium.session." + own.key + ".>")
	eve.isRefused(`Subscription to "terrarium.session.` + own.key)
	eve.says(opened.Subject, opened.Data)
	eve.isRefused(`Publish to "` + opened.Subject)

	// Again: the user's own credentials may say it, and it is refused.
	own.says(opened.Subject, opened.Data)
	answer := func(text string) func(m *nats.Msg) bool {
		return func(m *nats.Msg) bool {
			return strings.Contains(m.Subject, ".near.") && bytes.Contains(m.Data, []byte(text))
		}
	}
	if m := own.next(frames, answer("it was opened before"), "the open is refused"); m.Data[0] != refused {
		t.Errorf("got a message of kind %d, want %d", m.Data[0], refused)
	}
	// On a connection of its own, the number of which follows the kind.
	for _, m := range []*nats.Msg{opened, hello} {
		again := bytes.Clone(m.Data)
		binary.BigEndian.PutUint64(again[1:], 9) // that one may have connected again itself
		own.says(m.Subject, again)
	}
	own.next(frames, answer("a hello that was used before"), "the hello is refused")

	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	status := b.status(run)
	if _, out, _ := strings.Cut(run.out.String(), "\n"); status != 0 || out != "end\n" || strings.Contains(run.errs.String(), ": lost: ") {
		t.Errorf("the session: got %d, %q and %q, want its end", status, &run.out, &run.errs)
	}
	if len(heard) != 0 {
		t.Errorf("another user has heard %d frames", len(heard))
	}
}
