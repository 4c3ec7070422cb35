package ask

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"reflect"

	"github.com/terrarium-dev/terrarium/core"
)

// A key is what an answer is bound to: two commands with the same one do the same, as far as we can
// know.
type key struct {
	session core.SessionID
	// words are a hash of the line or arguments, the program's path, the directory, the variables,
	// the session's roots, the sandbox and what is asked for besides.
	words [sha256.Size]byte
	// host is what the host knows the command by, as the device and inode of its directory.
	host any
}

func keyOf(q *Question) key {
	e := q.Exec
	h := sha256.New()
	text(h, string(e.Via), e.Path, e.Command.Command, e.Command.Cwd, q.Sandbox, q.Place, e.Terms)
	list(h, e.Argv)
	list(h, e.Command.Roots)
	number(h, len(e.Command.Env))
	for _, v := range e.Command.Env {
		text(h, v.Name, v.Value)
	}
	k := key{session: e.Command.Session}
	h.Sum(k.words[:0])
	if e.Host != nil && reflect.ValueOf(e.Host).Comparable() {
		k.host = e.Host
	}
	return k
}

// list and text write strings so that no others look the same.
func list(h hash.Hash, all []string) {
	number(h, len(all))
	text(h, all...)
}

func text(h hash.Hash, all ...string) {
	for _, s := range all {
		number(h, len(s))
		h.Write([]byte(s))
	}
}

func number(h hash.Hash, n int) {
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}
