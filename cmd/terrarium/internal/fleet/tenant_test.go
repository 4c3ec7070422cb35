package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A raw is a client of a server that is no Client of ours, and sends what it likes.
type raw struct {
	t    *testing.T
	nats *nats.Conn
	key  string
	errs chan error // what the server says of what it has refused
}

// dialRaw connects with credentials.
func dialRaw(t *testing.T, s *Server, creds string, options ...nats.Option) *raw {
	t.Helper()
	r := &raw{t: t, errs: make(chan error, 64)}
	if creds != "" {
		r.key = keyIn(t, creds)
		options = append(options, nats.UserCredentials(creds), nats.CustomInboxPrefix(InboxPrefix(r.key)))
	}
	r.connect(s, options...)
	return r
}

// dialOwner connects with all that a tenant's account may do, which is more than anybody has.
func dialOwner(t *testing.T, s *Server, tenant string) *raw {
	t.Helper()
	pair, err := readSeed(filepath.Join(s.dir, tenantsDir, tenant, accountFile), nkeys.PrefixByteAccount)
	if err != nil {
		t.Fatal(err)
	}
	token, seed, err := passing(pair, "owner")
	if err != nil {
		t.Fatal(err)
	}
	r := &raw{t: t, errs: make(chan error, 64)}
	r.connect(s, nats.UserJWTAndSeed(token, seed))
	return r
}

func (r *raw) connect(s *Server, options ...nats.Option) {
	r.t.Helper()
	options = append(options, nats.NoReconnect(), nats.Timeout(patience), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		select {
		case r.errs <- err:
		default:
		}
	}))
	var err error
	if r.nats, err = nats.Connect(s.URL(), options...); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(r.nats.Close)
}

func keyIn(t *testing.T, creds string) string {
	t.Helper()
	b, err := os.ReadFile(creds)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.ParseDecoratedJWT(b)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		t.Fatal(err)
	}
	return claims.Subject
}

// refused waits until the server has said that it refuses what was done with the subject.
func (r *raw) refused(what, subject string) {
	r.t.Helper()
	select {
	case err := <-r.errs:
		if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), subject) {
			r.t.Errorf("%s %s: got %v, want a violation", what, subject, err)
		}
	case <-time.After(patience):
		r.t.Errorf("%s %s: not refused", what, subject)
	}
}

func (r *raw) subscribe(subject string) *nats.Subscription {
	r.t.Helper()
	sub, err := r.nats.SubscribeSync(subject)
	if err == nil {
		err = r.nats.FlushTimeout(patience)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return sub
}

func (r *raw) publish(subject, reply, data string) {
	r.t.Helper()
	err := r.nats.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: []byte(data)})
	if err == nil {
		err = r.nats.FlushTimeout(patience)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// next returns what comes next.
func next(t *testing.T, sub *nats.Subscription) string {
	t.Helper()
	m, err := sub.NextMsg(patience)
	if err != nil {
		t.Fatalf("%s: %v", sub.Subject, err)
	}
	return string(m.Data)
}

// waitingIn returns how many requests wait.
func (r *raw) waitingIn(ctx context.Context) uint64 {
	r.t.Helper()
	js, err := jetstream.New(r.nats)
	if err != nil {
		r.t.Fatal(err)
	}
	s, err := js.Stream(ctx, Stream)
	if err != nil {
		r.t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// waits fails the test unless so many requests come to wait. A server answers a publish, and even
// an acknowledgement, before its queue shows it.
func (r *raw) waits(ctx context.Context, want uint64, after string) {
	r.t.Helper()
	got := r.waitingIn(ctx)
	for end := time.Now().Add(patience); got != want && time.Now().Before(end); {
		got = r.waitingIn(ctx)
	}
	if got != want {
		r.t.Errorf("after %s: got %d requests that wait, want %d", after, got, want)
	}
}

// tenants opens those in a directory, until the test ends.
func tenants(t *testing.T, ctx context.Context, dir string) *Tenants {
	t.Helper()
	list, err := OpenTenants(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(list.Close)
	return list
}

// addTenant makes a tenant with users ada and bob and workers w1 and w2.
func addTenant(t *testing.T, ctx context.Context, list *Tenants, name string) (creds map[string]string) {
	t.Helper()
	if err := list.Add(ctx, name, Limits{}); err != nil {
		t.Fatal(err)
	}
	creds = make(map[string]string)
	var err error
	for user, add := range map[string]func(context.Context, string, string) (string, error){
		"ada": list.AddUser, "bob": list.AddUser, "w1": list.AddWorker, "w2": list.AddWorker,
	} {
		if creds[user], err = add(ctx, name, user); err != nil {
			t.Fatal(err)
		}
	}
	return creds
}

// TestTenants has one tenant made before the server starts and one while it runs. Their users and
// workers can do what they have to, and nothing else.
func TestTenants(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	dir := stateDir(t)
	list := tenants(t, ctx, dir)
	acme := addTenant(t, ctx, list, "acme")
	list.Close()
	s := serve(t, ServerConfig{Dir: dir})
	list = tenants(t, ctx, dir)
	other := addTenant(t, ctx, list, "other")

	for name, creds := range map[string]map[string]string{"acme": acme, "other": other} {
		t.Run("placed/"+name, func(t *testing.T) { placed(t, ctx, s, creds) })
	}
	t.Run("refused", func(t *testing.T) { refusals(t, ctx, s, acme) })
	t.Run("pools", func(t *testing.T) { pools(t, ctx, s, acme) })
	t.Run("apart", func(t *testing.T) { apart(t, s, acme) })
	t.Run("deputies", func(t *testing.T) { deputies(t, ctx, s, acme) })
	t.Run("strangers", func(t *testing.T) { strangers(t, s, acme) })
	t.Run("removed", func(t *testing.T) { removed(t, ctx, s, list, acme, other) })
}

// placed goes through what a user and a worker do with each other.
func placed(t *testing.T, ctx context.Context, s *Server, creds map[string]string) {
	user, worker := dialRaw(t, s, creds["ada"]), dialRaw(t, s, creds["w1"])
	session, instance := rand.Text(), rand.Text()
	claims := user.subscribe(ClaimSubject(user.key, session))
	alive := user.subscribe(Heartbeats)
	frames := user.subscribe(NearSubject(user.key, session, worker.key, instance))
	js, err := jetstream.New(user.nats)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, RequestSubject(DefaultPool, user.key), []byte(session)); err != nil {
		t.Fatal(err)
	}
	if js, err = jetstream.New(worker.nats); err != nil {
		t.Fatal(err)
	}
	pool, err := consumer(ctx, js, DefaultPool)
	if err != nil {
		t.Fatal(err)
	}
	m, err := pool.Next(jetstream.FetchMaxWait(patience))
	if err != nil || string(m.Data()) != session || m.Subject() != RequestSubject(DefaultPool, user.key) {
		t.Fatalf("got %v, %v, want the request", m, err)
	}
	if err := m.DoubleAck(ctx); err != nil {
		t.Fatal(err)
	}
	far := worker.subscribe(FarSubject(user.key, session, worker.key, instance))
	worker.publish(ClaimSubject(user.key, session), far.Subject, "claim")
	if got := next(t, claims); got != "claim" {
		t.Errorf("got %q, want the claim", got)
	}
	user.publish(far.Subject, "", "to far")
	if got := next(t, far); got != "to far" {
		t.Errorf("got %q", got)
	}
	worker.publish(frames.Subject, "", "to near")
	if got := next(t, frames); got != "to near" {
		t.Errorf("got %q", got)
	}
	worker.publish(HeartbeatSubject("w1"), "", "alive")
	if got := next(t, alive); got != "alive" {
		t.Errorf("got %q", got)
	}
	user.waits(ctx, 0, "an acknowledgement")
}

// refusals tries what a user and a worker must not do within their own tenant.
func refusals(t *testing.T, ctx context.Context, s *Server, creds map[string]string) {
	ada, bob := dialRaw(t, s, creds["ada"]), dialRaw(t, s, creds["bob"])
	w1, w2 := dialRaw(t, s, creds["w1"]), dialRaw(t, s, creds["w2"])
	session, instance := rand.Text(), rand.Text()
	far, near := FarSubject(ada.key, session, w1.key, instance), NearSubject(ada.key, session, w1.key, instance)
	atFar, atNear := w1.subscribe(far), ada.subscribe(near)
	claimed := ada.subscribe(ClaimSubject(ada.key, session))
	drained := w1.subscribe(DrainSubject("w1"))

	// Another user of the tenant, who knows all names.
	for _, subject := range []string{
		far, near, ClaimSubject(ada.key, session),
		RequestSubject(DefaultPool, ada.key), DrainSubject("w1"), HeartbeatSubject("w1"), InboxPrefix(ada.key) + ".x",
		"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST",
		"$JS.API.STREAM.CREATE.X", "$JS.API.STREAM.UPDATE." + Stream, "$JS.API.STREAM.DELETE." + Stream,
		"$JS.API.STREAM.PURGE." + Stream, "$JS.API.STREAM.MSG.GET." + Stream, "$JS.API.STREAM.MSG.DELETE." + Stream,
		"$JS.API.DIRECT.GET." + Stream, "$JS.API.STREAM.SNAPSHOT." + Stream,
		"$JS.API.CONSUMER.CREATE." + Stream + ".x", "$JS.API.CONSUMER.DURABLE.CREATE." + Stream + ".x",
		"$JS.API.CONSUMER.MSG.NEXT." + Stream + "." + DefaultPool, "$JS.API.CONSUMER.DELETE." + Stream + "." + DefaultPool,
		"$JS.ACK." + Stream + "." + DefaultPool + ".1.1.1.1.0",
		"$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.SERVER.PING", "$SYS.REQ.ACCOUNT.PING.CONNZ",
	} {
		bob.publish(subject, "", "")
		bob.refused("publish", subject)
	}
	for _, subject := range []string{
		">", "*.>", far, near, sessionsOf(ada.key), "terrarium.session.>", Requests, InboxPrefix(ada.key) + ".>", "_INBOX.>",
		"$SYS.>", "$JS.EVENT.>", "$JS.API.>", DrainSubject("*"), ClaimSubject("*", "*"),
	} {
		bob.subscribe(subject)
		bob.refused("subscribe", subject)
	}
	// Another worker of the tenant.
	for _, subject := range []string{
		near, far, RequestSubject(DefaultPool, ada.key), "$JS.API.STREAM.DELETE." + Stream, "$JS.API.STREAM.PURGE." + Stream,
		"$JS.API.STREAM.CREATE.X", "$JS.API.STREAM.UPDATE." + Stream, "$JS.API.CONSUMER.DELETE." + Stream + "." + DefaultPool,
		"$JS.API.CONSUMER.CREATE." + Stream, createConsumer + "x", createConsumer + "x.terrarium.>", createConsumer + "x.>",
		createConsumer + DefaultPool, createConsumer + DefaultPool + "." + PoolRequests(DefaultPool), createConsumer + DefaultPool + "." + Requests,
		"$JS.API.CONSUMER.DURABLE.CREATE." + Stream + ".x", "$JS.API.CONSUMER.PAUSE." + Stream + "." + DefaultPool,
		"$SYS.REQ.CLAIMS.UPDATE",
	} {
		w2.publish(subject, "", "")
		w2.refused("publish", subject)
	}
	for _, subject := range []string{">", far, near, "terrarium.session.>", InboxPrefix(ada.key) + ".>", "_INBOX.>", "$SYS.>", ClaimSubject("*", "*")} {
		w2.subscribe(subject)
		w2.refused("subscribe", subject)
	}
	if err := bob.nats.Publish(RequestSubject(DefaultPool, bob.key), make([]byte, maxPayload+1)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("got %v, want that %d bytes are too many", err, maxPayload+1)
	}
	js, err := jetstream.New(bob.nats)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, RequestSubject(DefaultPool, bob.key), make([]byte, maxRequest+1)); err == nil {
		t.Errorf("a request of %d bytes was taken", maxRequest+1)
	}
	// Nothing of all that has come anywhere: what comes now is the first.
	ada.publish(far, "", "first")
	w1.publish(near, "", "first")
	w1.publish(claimed.Subject, "", "first")
	w1.publish(drained.Subject, "", "first")
	for _, sub := range []*nats.Subscription{atFar, atNear, claimed, drained} {
		if got := next(t, sub); got != "first" {
			t.Errorf("%s: got %q before what was allowed", sub.Subject, got)
		}
	}
	ada.waits(ctx, 0, "what is refused")
}

// pools has a worker try to take all requests, or a user's, away from the default pool.
func pools(t *testing.T, ctx context.Context, s *Server, creds map[string]string) {
	ada, w2 := dialRaw(t, s, creds["ada"]), dialRaw(t, s, creds["w2"])
	js, err := jetstream.New(w2.nats)
	if err != nil {
		t.Fatal(err)
	}
	for _, filter := range []string{Requests, RequestSubject("*", ada.key), RequestSubject(DefaultPool, ada.key), PoolRequests(DefaultPool)} {
		config := poolConfig("mine", 0)
		config.FilterSubject = filter
		if _, err := js.CreateOrUpdateConsumer(ctx, Stream, config); err == nil {
			t.Errorf("a worker has made a consumer of %s", filter)
		}
	}
	// What is asked for is not what the subject says.
	other := poolConfig("x", 0)
	for what, config := range map[string]jetstream.ConsumerConfig{
		"another name":   poolConfig(DefaultPool, time.Second),
		"another filter": {Durable: other.Durable, FilterSubject: Requests, AckPolicy: other.AckPolicy},
		"two filters":    {Durable: other.Durable, FilterSubjects: []string{other.FilterSubject, Requests}, AckPolicy: other.AckPolicy},
		"no filter":      {Durable: other.Durable, AckPolicy: other.AckPolicy},
	} {
		b, err := json.Marshal(map[string]any{"stream_name": Stream, "config": config})
		if err != nil {
			t.Fatal(err)
		}
		m, err := w2.nats.RequestWithContext(ctx, createConsumer+other.Durable+"."+other.FilterSubject, b)
		if err != nil || !strings.Contains(string(m.Data), `"error"`) {
			t.Errorf("%s: got %s, %v, want that it is refused", what, m.Data, err)
		}
	}
	if _, err := consumer(ctx, js, Labels{"gpu": "a100"}.pool()); err != nil {
		t.Errorf("a pool of labels: %v", err)
	}
	pool, err := js.Consumer(ctx, Stream, DefaultPool)
	if err != nil {
		t.Fatal(err)
	}
	if c := pool.CachedInfo().Config; c.FilterSubject != PoolRequests(DefaultPool) || c.InactiveThreshold != 0 {
		t.Errorf("the default pool is now %+v", c)
	}
}

// apart has another tenant, with more rights than its users have, hear and disturb nothing.
func apart(t *testing.T, s *Server, creds map[string]string) {
	ada, w1 := dialRaw(t, s, creds["ada"]), dialRaw(t, s, creds["w1"])
	theirs := dialOwner(t, s, "other")
	all := theirs.subscribe(">")
	session, instance := rand.Text(), rand.Text()
	far := w1.subscribe(FarSubject(ada.key, session, w1.key, instance))
	theirs.publish(far.Subject, "", "from elsewhere")
	if got := next(t, all); got != "from elsewhere" {
		t.Errorf("got %q, want what was published there", got)
	}
	ada.publish(far.Subject, "", "first")
	if got := next(t, far); got != "first" {
		t.Errorf("got %q of another tenant", got)
	}
	w1.publish(HeartbeatSubject("w1"), "", "alive")
	theirs.publish("last", "", "last")
	if got := next(t, all); got != "last" {
		t.Errorf("another tenant has heard %q", got)
	}
}

// deputies has the server itself send what a user may not: answers go to whatever subject the user
// names. They must not do what the same subject does with a message that is meant.
func deputies(t *testing.T, ctx context.Context, s *Server, creds map[string]string) {
	bob := dialRaw(t, s, creds["bob"])
	owner := dialOwner(t, s, "acme")
	before := bob.waitingIn(ctx)
	got := owner.subscribe("deputy")
	for i, reply := range []string{
		"deputy", // shows that the server does send them
		"$JS.API.STREAM.DELETE." + Stream, "$JS.API.STREAM.PURGE." + Stream, "$JS.API.STREAM.UPDATE." + Stream,
		"$JS.API.STREAM.MSG.DELETE." + Stream, "$JS.API.CONSUMER.DELETE." + Stream + "." + DefaultPool,
		"$JS.API.CONSUMER.MSG.NEXT." + Stream + "." + DefaultPool, "$SYS.REQ.CLAIMS.DELETE",
	} {
		bob.publish(RequestSubject(DefaultPool, bob.key), reply, "{}")
		bob.publish(streamInfo, reply, "")
		bob.waits(ctx, before+uint64(i)+1, "answers to "+reply)
	}
	// Of these the server knows that they are its own.
	ack := "$JS.ACK." + Stream + "." + DefaultPool + ".1.1.1.1.0"
	bob.publish(RequestSubject(DefaultPool, bob.key), ack, "{}")
	bob.refused("publish with an answer to", ack)
	for range 2 {
		if answer := next(t, got); !strings.HasPrefix(answer, "{") {
			t.Errorf("got %q, want an answer of the server", answer)
		}
	}
	js, err := jetstream.New(owner.nats)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Consumer(ctx, Stream, DefaultPool); err != nil {
		t.Errorf("the pool: %v", err)
	}
}

// strangers have no credentials, or those of others.
func strangers(t *testing.T, s *Server, creds map[string]string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	elsewhere := tenants(t, ctx, stateDir(t))
	theirs := addTenant(t, ctx, elsewhere, "acme")
	b, err := os.ReadFile(creds["ada"])
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.ParseDecoratedJWT(b)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := wrong.Seed()
	if err != nil {
		t.Fatal(err)
	}
	for what, option := range map[string]nats.Option{
		"no credentials":             nats.Name("nobody"),
		"a name and a password":      nats.UserInfo("ada", "ada"),
		"those of another fleet":     nats.UserCredentials(theirs["ada"]),
		"a token without its secret": nats.UserJWTAndSeed(token, string(seed)),
	} {
		conn, err := nats.Connect(s.URL(), nats.NoReconnect(), nats.Timeout(patience), option)
		if err == nil {
			conn.Close()
		}
		if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: got %v, want %v", what, err, nats.ErrAuthorization)
		}
	}
}

// removed has connections end at once, and no more made.
func removed(t *testing.T, ctx context.Context, s *Server, list *Tenants, acme, other map[string]string) {
	// Removing takes the file away, but whoever has it has a copy.
	kept := make(map[string]string)
	for name, file := range map[string]string{"bob": acme["bob"], "ada": other["ada"]} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kept[name] = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(kept[name], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ends := func(name string) (ended chan struct{}) {
		ended = make(chan struct{})
		dialRaw(t, s, kept[name], nats.ClosedHandler(func(*nats.Conn) { close(ended) }))
		return ended
	}
	waitFor := func(what string, ended chan struct{}) {
		t.Helper()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s is still connected", what)
		}
	}
	user, tenant := ends("bob"), ends("ada")
	// It has the very file that is taken away.
	access := Access{URL: s.URL(), Creds: acme["bob"]}
	client, err := access.Connect(ctx, "a client of bob's")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	stays := dialRaw(t, s, acme["ada"])
	if err := list.RemoveCreds(ctx, "acme", "bob"); err != nil {
		t.Fatal(err)
	}
	if err := list.Remove(ctx, "other"); err != nil {
		t.Fatal(err)
	}
	waitFor("a user that was removed", user)
	waitFor("a user of a tenant that was removed", tenant)
	waitFor("a client of a user that was removed", client.closed)
	if err := client.connected(ctx); !errors.Is(err, remote.ErrGone) || !strings.Contains(err.Error(), "the server refuses the credentials in "+acme["bob"]) {
		t.Errorf("got %v, want that its credentials are refused, and that it is gone", err)
	}
	refuse := func(s *Server) {
		t.Helper()
		for name, file := range kept {
			conn, err := nats.Connect(s.URL(), nats.NoReconnect(), nats.Timeout(patience), nats.UserCredentials(file))
			if err == nil {
				conn.Close()
				t.Errorf("%s can connect again", name)
			}
		}
	}
	refuse(s)
	stays.publish(RequestSubject(DefaultPool, stays.key), "", "{}")
	found, err := list.List()
	if err != nil || len(found) != 1 || found[0].Name != "acme" || !slices.Equal(found[0].Users, []string{"ada"}) || !slices.Equal(found[0].Workers, []string{"w1", "w2"}) {
		t.Errorf("got tenants %+v, %v", found, err)
	}
	if _, err := list.Find("other"); !errors.Is(err, ErrNoTenant) {
		t.Errorf("got %v, want %v", err, ErrNoTenant)
	}
	list.Close()
	s.Close()
	again := serve(t, ServerConfig{Dir: s.dir})
	refuse(again)
	dialRaw(t, again, acme["ada"])
}

// TestDamaged has each file of a state directory be wrong in turn.
func TestDamaged(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, c := range []struct {
		file, want string
		damage     func(file string) error
	}{
		{operatorFile, "is damaged", garble},
		{operatorFile, "is missing", os.Remove},
		{operatorFile, "chmod 600", func(file string) error { return os.Chmod(file, 0o644) }},
		{systemFile, "is damaged", garble},
		{systemFile, "is missing", os.Remove},
		{filepath.Join(tenantsDir, "acme", accountFile), "is damaged", garble},
		{operatorFile, "it is no file", makePipe},
		{filepath.Join(tenantsDir, "acme", accountFile), "it is no file", makePipe},
	} {
		dir := stateDir(t)
		list := tenants(t, ctx, dir)
		if err := list.Add(ctx, "acme", Limits{}); err != nil {
			t.Fatal(err)
		}
		list.Close()
		if err := c.damage(filepath.Join(dir, c.file)); err != nil {
			t.Fatal(err)
		}
		s, err := Serve(ServerConfig{Dir: dir, Addr: "127.0.0.1:0"})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), filepath.Base(c.file)) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q in one line", c.file, err, c.want)
		}
	}
}

func garble(file string) error { return os.WriteFile(file, []byte("garbage\n"), 0o600) }

// makePipe puts a pipe in the place of a file. Who opens it as a file waits for a writer.
func makePipe(file string) error {
	if err := os.Remove(file); err != nil {
		return err
	}
	return syscall.Mkfifo(file, 0o600)
}

// TestNotOurs has a state directory that others may write to be refused, served or not.
func TestNotOurs(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s, err := Serve(ServerConfig{Dir: dir, Addr: "127.0.0.1:0"})
	if err == nil {
		s.Close()
	}
	list, errOpen := OpenTenants(t.Context(), dir)
	if errOpen == nil {
		list.Close()
	}
	for _, err := range []error{err, errOpen} {
		if err == nil || !strings.Contains(err.Error(), "others may write to it") {
			t.Errorf("got %v, want that others may write to it", err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing in it", left, err)
	}
}

// TestAddRefuses tries what no tenant and no user can be.
func TestAddRefuses(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	list := tenants(t, ctx, stateDir(t))
	if err := list.Add(ctx, "acme", Limits{}); err != nil {
		t.Fatal(err)
	}
	creds, err := list.AddUser(ctx, "acme", "ada")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(creds); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want mode 0600", info.Mode(), err)
	}
	adding := func(add func(context.Context, string, string) (string, error), tenant, name string) error {
		_, err := add(ctx, tenant, name)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{list.Add(ctx, "acme", Limits{}), "there already"},
		{list.Add(ctx, "../x", Limits{}), "want 1 to 63"},
		{adding(list.AddUser, "acme", "ada"), "there already"},
		{adding(list.AddWorker, "acme", "ada"), "there already"},
		{adding(list.AddUser, "nobody", "ada"), ErrNoTenant.Error()},
		{adding(list.AddUser, "acme", "../ada"), "want 1 to 63"},
		{list.RemoveCreds(ctx, "acme", "bob"), "no user or worker bob"},
		{list.Remove(ctx, "nobody"), ErrNoTenant.Error()},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
}
