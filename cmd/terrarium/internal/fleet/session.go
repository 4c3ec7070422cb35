package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A farSession is what a worker has of a session: its slot, and a server of package remote.
type farSession struct {
	worker     *Worker
	user, name string
	up, down   string // subjects: what comes, and what is sent
	sub        *nats.Subscription
	server     *remote.Server
	host       *lateHost  // of this session only; nil: the worker's
	verdict    chan error // what has become of the claim

	mu      sync.Mutex // guards the fields below
	last    uint64     // the number of the newest link
	link    *link
	unused  *time.Timer // ends a session that nobody has begun
	serving sync.WaitGroup
	ended   bool
}

// beginTime is how long a session may take to begin, once it is placed.
const beginTime = 10 * time.Second

var (
	errUnanswered = errors.New("the claim was not answered")
	errRefused    = errors.New("the claim was refused")
	errDisplaced  = errors.New("another connection has taken its place")
)

func newFarSession(w *Worker, user, name string, serial int) *farSession {
	c := w.config.Client
	s := &farSession{
		worker: w, user: user, name: name, verdict: make(chan error, 1),
		up: FarSubject(user, name, c.user, w.instance), down: NearSubject(user, name, c.user, w.instance),
	}
	host := w.config.Host
	if w.config.Open != nil {
		s.host = newLateHost(func(ctx context.Context) (OwnHost, error) { return w.openHost(ctx, s) })
		host = s.host
	}
	s.server = remote.NewServer(remote.ServerConfig{
		Host: ownHost{host, strconv.Itoa(serial)}, Lease: w.config.Lease, MaxSessions: 1,
		OnSessionEnd: func(error, int) { go s.end() }, // Worker.Run waits for it
	})
	s.unused = time.AfterFunc(beginTime, s.endUnused)
	s.unused.Stop()
	return s
}

// An ownHost has the sessions of one near side be others than those of the same name of another.
type ownHost struct {
	driver.Host
	session string
}

// Resolve implements driver.Host.
func (h ownHost) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	c.Session = core.SessionID(h.session) + "." + c.Session
	return h.Host.Resolve(ctx, c)
}

// A claim is what a worker says to who has asked.
type claim struct {
	Version  int    `json:"v"` // 1
	Key      string `json:"key"`
	Instance string `json:"instance"`
	Name     string `json:"name"`
}

func parseClaim(b []byte) (c claim, err error) {
	if len(b) > maxRequest {
		return c, errMessage
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return claim{}, errMessage
	}
	if c.Version != 1 || !isToken(c.Key) || !isSession(c.Instance) || CheckName(c.Name) != nil {
		return claim{}, errMessage
	}
	return c, nil
}

// claim claims the session. The error says why it is not this worker's.
func (s *farSession) claim() error {
	w := s.worker
	b, _ := json.Marshal(claim{1, w.config.Client.user, w.instance, w.config.Name})
	for range claimAttempts {
		// Where nobody hears it, the server says so on our own subject.
		if err := w.config.Client.nats.PublishRequest(ClaimSubject(s.user, s.name), s.up, b); err != nil {
			return errUnanswered
		}
		select {
		case err := <-s.verdict:
			return err
		case <-time.After(claimAnswer):
		}
	}
	return errUnanswered
}

// judge notes what has become of the claim, the first time.
func (s *farSession) judge(err error) {
	select {
	case s.verdict <- err:
	default:
	}
}

// handle takes what the near side sends. It is called for one message at a time.
func (s *farSession) handle(m *nats.Msg) {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if isNobody(m) {
		if l == nil {
			s.judge(errRefused) // who has asked is gone
			return
		}
		l.end(errNobody)
		return
	}
	got, err := parseMessage(m.Data)
	switch {
	case err != nil && l != nil:
		l.end(err)
	case err != nil:
	case got.kind == kindOpen:
		s.open(got.conn)
	case got.kind == kindRefused && l == nil:
		s.judge(errRefused)
	case l != nil && got.conn == l.number:
		l.receive(&got)
	}
}

// open begins a link, which displaces the one before. A number that was used is a replay.
func (s *farSession) open(number uint64) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	if number <= s.last {
		s.mu.Unlock()
		m := message{kind: kindRefused, conn: number, body: []byte("it was opened before")}
		s.worker.config.Client.nats.Publish(s.down, m.append(nil))
		return
	}
	old := s.link
	l := newLink(number, heartbeat, s.worker.config.Client.publisher(s.down, s.up))
	s.last, s.link = number, l
	s.unused.Stop()
	s.serving.Add(1)
	s.mu.Unlock()
	if old != nil {
		old.end(errDisplaced)
	}
	s.judge(nil)
	if s.host != nil {
		s.host.begin()
	}
	l.send(kindOpened, nil)
	s.tellDrainingOn(l)
	go func() { // ends with the link; end waits for it
		defer s.serving.Done()
		s.server.Serve(l)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.link == l && !s.ended && s.server.Sessions() == 0 {
			s.unused.Reset(beginTime)
		}
	}()
}

// endUnused ends a session that was not begun.
func (s *farSession) endUnused() {
	if s.server.Sessions() == 0 {
		s.end()
	}
}

// tellDraining tells the near side for how long the session may last.
func (s *farSession) tellDraining(within time.Duration) {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil {
		l.send(kindDraining, []byte(max(0, within).Round(time.Second).String()))
	}
}

// tellDrainingOn does so on a new link, if the worker drains.
func (s *farSession) tellDrainingOn(l *link) {
	s.worker.mu.Lock()
	at := s.worker.draining
	s.worker.mu.Unlock()
	if !at.IsZero() {
		l.send(kindDraining, []byte(max(0, time.Until(at)).Round(time.Second).String()))
	}
}

// lost ends a session whose own host has ended.
func (s *farSession) lost(why error) {
	s.worker.config.Say("a session is lost: " + why.Error())
	s.worker.ending.Go(func() { // which is not over before the session is
		s.server.End("worker " + s.worker.config.Name + ": " + why.Error())
		s.end()
	})
}

// end kills all that runs, and frees the slot when nothing is left of it.
func (s *farSession) end() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	l := s.link
	s.mu.Unlock()
	s.unused.Stop()
	s.server.Close() // which tells the near side, if it still can
	if l != nil {
		l.Close()
	}
	s.serving.Wait()
	if s.host != nil {
		s.host.close()
	}
	s.sub.Unsubscribe()
	s.worker.drop(s)
}
