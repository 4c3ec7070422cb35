package acp

import (
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Extension methods, for the ACP client that hands its terminals over: ACP
// itself does not tell a terminal server about sessions. Both are requests.
const (
	// MethodSessionOpen says what a session hands over, before its first terminal.
	MethodSessionOpen = "_terrarium/session_open"
	// MethodSessionClose ends a session, and releases its terminals.
	MethodSessionClose = "_terrarium/session_close"
	// MethodDisplay is terminal/output for the person: it also answers for a
	// terminal that was released, whose output is kept for display.
	MethodDisplay = "_terrarium/display"
)

// SessionOpenRequest is the params of _terrarium/session_open: what a session
// hands over. The fields are those of ACP session/new.
type SessionOpenRequest struct {
	SessionID             string
	Cwd                   string // absolute
	AdditionalDirectories []string
	Meta                  []byte
}

// DecodeJSON reads r from v.
func (r *SessionOpenRequest) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = SessionOpenRequest{
		SessionID: d.text("sessionId"), Cwd: d.text("cwd"),
		AdditionalDirectories: d.texts("additionalDirectories"), Meta: d.meta(),
	}
	r.check(d)
	return d.err
}

// check has d fail where a directory can't be one.
func (r *SessionOpenRequest) check(d *decoder) {
	d.directory("cwd", r.Cwd)
	for _, dir := range r.AdditionalDirectories {
		d.directory("additionalDirectories", dir)
	}
}

func (d *decoder) directory(param, dir string) {
	switch {
	case !path.IsAbs(dir):
		d.fail(param, "not_absolute")
	case strings.IndexByte(dir, 0) >= 0:
		d.fail(param, "nul_byte")
	}
}

// AppendJSON appends r as JSON.
func (r *SessionOpenRequest) AppendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "sessionId", r.SessionID)
	dst = appendText(dst, "cwd", r.Cwd)
	if len(r.AdditionalDirectories) > 0 {
		dst = appendTexts(dst, "additionalDirectories", r.AdditionalDirectories)
	}
	return appendEnd(dst, r.Meta)
}

// SessionRequest is the params of _terrarium/session_close.
type SessionRequest struct {
	SessionID string
	Meta      []byte
}

// DecodeJSON reads r from v.
func (r *SessionRequest) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = SessionRequest{SessionID: d.text("sessionId"), Meta: d.meta()}
	return d.err
}

// AppendJSON appends r as JSON.
func (r *SessionRequest) AppendJSON(dst []byte) []byte {
	return appendEnd(appendText(append(dst, '{'), "sessionId", r.SessionID), r.Meta)
}

// maxSession is how large a session may be that is opened, in bytes: it is kept
// until it is closed.
const maxSession = 64 << 10

func (r *SessionOpenRequest) size() int {
	const entry = 16 // of a string without its bytes
	n := len(r.SessionID) + len(r.Cwd)
	for _, dir := range r.AdditionalDirectories {
		n += entry + len(dir)
	}
	return n
}

// session is what a session that was opened hands over.
type session struct {
	cwd   string
	roots []string // cwd and the additional directories, cleaned
}

func newSession(r *SessionOpenRequest) *session {
	s := &session{cwd: r.Cwd, roots: []string{path.Clean(r.Cwd)}}
	for _, dir := range r.AdditionalDirectories {
		s.roots = append(s.roots, path.Clean(dir))
	}
	return s
}

// contains reports whether dir lies in what the session hands over, going by
// its name: where symbolic links lead, the host sees to.
func (s *session) contains(dir string) bool {
	dir = path.Clean(dir)
	for _, root := range s.roots {
		if dir == root || root == "/" || strings.HasPrefix(dir, root+"/") {
			return true
		}
	}
	return false
}
