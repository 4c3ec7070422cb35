package keeper

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A kind says what a message is.
type kind uint8

// What the host says.
const (
	// hello is the first, but for prepare: Flag without cgroups, and Text has the order in JSON.
	hello kind = iota + 1
	// start names a command ID: Text is its executable, List its arguments, Env its
	// environment; with Flag it has a controlling terminal. Its standard streams are
	// descriptors, and so is its directory unless it is the keeper's; with Number 1 the last
	// one is the cgroup that it begins in.
	start
	// signalTree sends the signal Number to all of the command Of, and signalGroup
	// to its process group only. Like all below it is answered by done.
	signalTree
	signalGroup
	// end ends the command Of.
	end
	// report asks for the means by which trees are known.
	report
	// room makes a cgroup ID for a command of another keeper: it is signalled, with SIGKILL
	// only, and ended as if it were a command.
	room
	// prepare may come before hello: Text has confine.Rules in JSON, whose order will be like them
	// but for what is handed over.
	prepare
)

// What the keeper says.
const (
	// confined comes before ready: Text has the confine.Report in JSON.
	confined kind = iota + 65
	// ready answers hello; so does failed. Text has the tree.Limits in JSON.
	ready
	// swept says that what dead hosts have left was looked for, and with Flag that nothing of
	// it lives.
	swept
	// started answers start and room: Number is the process, Text its cgroup.
	started
	// failed answers start, room and hello: Text says why, and Number is the system's error.
	failed
	// exited says how the command ID has ended: Exit, or Text if that is not known. Flag
	// says that it is settled, too.
	exited
	// exceeded says that the command ID is being killed for the limit that Text names.
	exceeded
	// settled says that nobody of the command ID's tree is left, nor will be.
	settled
	// done answers the request ID: Text and Number are its error, if any, with
	// Flag errors.ErrUnsupported.
	done
)

// A message is a packet of the socket. What its fields mean depends on Kind.
type message struct {
	Kind   kind
	Flag   bool
	ID     uint64 // of a command or of a request
	Of     uint64 // the command that a request is about
	Number int64
	Text   string
	List   []string
	Env    []string
	Exit   core.Exit
}

// inRoom reports whether a start's last descriptor is the cgroup that the command begins in.
func (m message) inRoom() bool { return m.Number == 1 }

// maxMessage bounds a message, in bytes: more than execve(2) takes of arguments and
// environment.
const maxMessage = 16 << 20

// append appends m as it is sent: all fields in their order, numbers as varints,
// strings and lists after their lengths.
func (m message) append(b []byte) []byte {
	b = append(b, byte(m.Kind), bit(m.Flag))
	b = binary.AppendUvarint(b, m.ID)
	b = binary.AppendUvarint(b, m.Of)
	b = binary.AppendVarint(b, m.Number)
	b = appendString(b, m.Text)
	b = appendList(b, m.List)
	b = appendList(b, m.Env)
	b = append(b, bit(m.Exit.Status.Unknown))
	b = binary.AppendUvarint(b, uint64(m.Exit.Status.ExitCode))
	b = appendString(b, m.Exit.Status.Signal)
	b = appendString(b, string(m.Exit.Reason))
	b = binary.AppendVarint(b, int64(m.Exit.Usage.UserTime))
	b = binary.AppendVarint(b, int64(m.Exit.Usage.SystemTime))
	return binary.AppendVarint(b, m.Exit.Usage.MaxRSS)
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendList(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

var errMessage = errors.New("not a message of a keeper")

// parse is the inverse of append. It keeps nothing of b. Whoever has sent it may lie:
// it takes no more memory than some times the length of b.
func parse(b []byte) (m message, err error) {
	p := parser{rest: b}
	m.Kind, m.Flag = kind(p.byte()), p.byte() != 0
	m.ID, m.Of, m.Number = p.uint(), p.uint(), p.int()
	m.Text, m.List, m.Env = p.string(), p.list(), p.list()
	m.Exit.Status.Unknown = p.byte() != 0
	m.Exit.Status.ExitCode = uint32(p.uint())
	m.Exit.Status.Signal = p.string()
	m.Exit.Reason = core.Reason(p.string())
	m.Exit.Usage.UserTime = time.Duration(p.int())
	m.Exit.Usage.SystemTime = time.Duration(p.int())
	m.Exit.Usage.MaxRSS = p.int()
	if p.bad || len(p.rest) > 0 {
		return message{}, errMessage
	}
	return m, nil
}

// A parser takes values from the front of rest. When there is none it is bad for
// good, and the values are zero.
type parser struct {
	rest []byte
	bad  bool
}

// take returns the next n bytes.
func (p *parser) take(n uint64) []byte {
	if p.bad || n > uint64(len(p.rest)) {
		p.bad = true
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *parser) byte() byte {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *parser) uint() uint64 {
	v, n := binary.Uvarint(p.rest)
	if p.take(uint64(max(n, 0))); n <= 0 {
		p.bad = true
		return 0
	}
	return v
}

func (p *parser) int() int64 {
	v, n := binary.Varint(p.rest)
	if p.take(uint64(max(n, 0))); n <= 0 {
		p.bad = true
		return 0
	}
	return v
}

func (p *parser) string() string { return string(p.take(p.uint())) }

func (p *parser) list() []string {
	n := p.uint()
	if n > uint64(len(p.rest)) { // each takes a byte at the least
		p.bad = true
	}
	if p.bad || n == 0 {
		return nil
	}
	list := make([]string, 0, n)
	for range n {
		list = append(list, p.string())
	}
	return list
}
