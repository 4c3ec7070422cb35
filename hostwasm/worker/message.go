package worker

import (
	"crypto/sha256"
	"errors"
	"io/fs"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A message is what a host and a worker tell each other: one of its fields is
// set. Strings that may be any bytes are []byte, since JSON has Unicode only.
type message struct {
	// To a worker.

	Setup  *setup  `json:",omitempty"` // the first
	Job    *job    `json:",omitempty"` // with standard input, output and, without a pty, error
	Signal string  `json:",omitempty"`
	Answer *answer `json:",omitempty"`
	Look   bool    `json:",omitempty"` // asks for a Typing

	// From a worker.

	Ready   []Measure  `json:",omitempty"` // to Setup
	Started *started   `json:",omitempty"` // to Job
	Exit    *core.Exit `json:",omitempty"` // of the command
	Typing  *typing    `json:",omitempty"` // to Look
	Ask     *ask       `json:",omitempty"`
}

// A setup makes a process a worker. It says what is the same for all commands.
type setup struct {
	Engine   string
	CacheDir []byte
	Compile  bool // the worker is to compile the module that comes with this, and no guest runs

	Env, Commands [][]byte // Commands are numbered in this order
	Modules       []int    // by command: those with the same number have one module
	Mounts        []mount
	Dir           []byte
	Limits        hostwasm.Limits
	Memory        int64 // granted without asking
	Deterministic bool
	Warm          int // the command that is likely to be run, or -1
}

type mount struct {
	Dir, Guest []byte
	ReadOnly   bool
}

// A job is a command that Resolve has found.
type job struct {
	Path, Cwd        []byte
	Argv, Env, Roots [][]byte
	Session          []byte
	Tmp              []byte // the host's directory for the session's /tmp
	Pty, Interactive bool
	Prepare          int // instead of all this: the command whose module is wanted in the cache, if not negative
}

// started says whether a command runs, or why not.
type started struct {
	Reason, Text string // as in core.HostError; Text is empty if it runs
	Op           string // of its fs.PathError: what is the matter; may be empty
}

// A typing says whether the command waits for somebody to type, when it has been
// given so many bytes of what was typed.
type typing struct {
	Taken   uint64
	Reading bool
}

// refusal returns the error that a worker tells of.
func (s *started) refusal() error {
	e := &core.HostError{Reason: s.Reason, Message: s.Text}
	if s.Op != "" {
		e.Err = &fs.PathError{Op: s.Op, Err: errors.New(s.Text)}
	}
	return e
}

// An ask is a question; the answer has its ID.
type ask struct {
	ID      uint64
	What    question
	Command int   // for askModule
	Bytes   int64 // for askMemory, and the size of what is to be compiled

	// askCompile comes with the metered module, of which Key is the sum. Again
	// says that it was not in the cache after an answer.
	Name  string
	Key   [sha256.Size]byte
	Again bool
}

type question string

const (
	askModule  question = "module" // the answer comes with the file
	askMemory  question = "memory"
	askCompile question = "compile"
)

type answer struct {
	ID    uint64
	Bytes int64
	Error string
}

// bytesOf and stringsOf convert lists.
func bytesOf(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func stringsOf(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}
