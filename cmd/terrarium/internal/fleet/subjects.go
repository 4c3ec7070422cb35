package fleet

import (
	"fmt"
	"strings"
)

// All names that go over the wire. What users and workers may do is said in terms of them, in
// permissions.go, so whoever changes a name changes that.
//
// USER and KEY are the public nkeys of a user's and of a worker's credentials; without credentials
// they are Anybody. SESSION and INSTANCE are 128 random bits, as rand.Text writes them, POOL and
// WORKER are names as CheckName wants them.
const (
	// Stream is the work queue of a tenant. A request waits there until a worker takes it.
	Stream = "TERRARIUM"
	// Requests are the subjects of the stream.
	Requests = "terrarium.place.*.*"
	// DefaultPool is where sessions are placed that ask for no labels.
	DefaultPool = "default"
	// Anybody is the user where NATS wants no credentials.
	Anybody = "anybody"
	// Heartbeats are what all workers of a tenant publish.
	Heartbeats = "terrarium.worker.*.alive"
)

// RequestSubject is where the near side publishes that it wants a session placed.
func RequestSubject(pool, user string) string { return "terrarium.place." + pool + "." + user }

// PoolRequests is the filter of the pool's consumer, whose durable name is that of the pool.
func PoolRequests(pool string) string { return "terrarium.place." + pool + ".*" }

// ClaimSubject is where a worker says that it has taken the request of a session. The near side
// subscribes to it before it asks.
func ClaimSubject(user, session string) string { return sessionSubject(user, session, "claim") }

// FarSubject is where the near side publishes frames for one worker. Nobody else may hear it: the
// other workers of the tenant have other keys.
func FarSubject(user, session, key, instance string) string {
	return sessionSubject(user, session, "far."+key+"."+instance)
}

// NearSubject is where a worker publishes frames for the near side.
func NearSubject(user, session, key, instance string) string {
	return sessionSubject(user, session, "near."+key+"."+instance)
}

func sessionSubject(user, session, rest string) string {
	return "terrarium.session." + user + "." + session + "." + rest
}

// sessionsOf is all subjects of the sessions of a user.
func sessionsOf(user string) string { return "terrarium.session." + user + ".>" }

// HeartbeatSubject is where a worker says what it has, every two seconds.
func HeartbeatSubject(worker string) string { return "terrarium.worker." + worker + ".alive" }

// DrainSubject is where a worker is asked to take no more sessions. A user may not publish there,
// but can have the server send its answers there, as to any subject: they are JSON objects of
// JetStream. So a message counts only if it has a field that they have not.
func DrainSubject(worker string) string { return "terrarium.worker." + worker + ".drain" }

// InboxPrefix is what a connection of the user gives nats.CustomInboxPrefix. It may not subscribe
// to any other inbox.
func InboxPrefix(user string) string { return "_INBOX." + user }

// maxName is how long the name of a worker, a pool or a tenant may be, in bytes.
const maxName = 63

// CheckName says why nothing in a fleet can be called so.
func CheckName(name string) error {
	odd := strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	})
	if name == "" || len(name) > maxName || odd >= 0 || name[0] == '-' {
		return fmt.Errorf("%.80q: want 1 to %d of a to z, 0 to 9, _ and -, and no - first", name, maxName)
	}
	return nil
}

// isToken reports whether s can be the key of a user: a public nkey, or Anybody.
func isToken(s string) bool {
	return s == Anybody || len(s) == 56 && s[0] == 'U' && isBase32(s)
}

// isSession reports whether s is as rand.Text writes it.
func isSession(s string) bool { return len(s) == 26 && isBase32(s) }

func isBase32(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !('A' <= r && r <= 'Z' || '2' <= r && r <= '7') }) < 0
}
