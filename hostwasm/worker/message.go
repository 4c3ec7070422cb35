package worker

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A message is what a host and a worker tell each other: one of its fields is
// set, besides Command.
type message struct {
	Command commandID // that it is about, if it is about one

	// To a worker.

	Setup   *setup   // the first
	Session *session // the second, unless the worker is to compile
	Answer  *answer

	// To a worker, of a command.

	Job    *job // begins it: with standard input, output and, without a pty, error
	Signal string
	Look   bool // asks for a Typing
	Size   *size
	End    bool // it is to be ended, and nobody reads what it writes any longer

	// From a worker.

	Calls bool   // before Ready, with a file of the system's: about its calls
	Ready *ready // to Setup
	Ask   *ask

	// From a worker, of a command.

	Started *started // to Job; of no command, to Session, and to a Setup with Compile
	Exit    *exit    // how it has ended
	// with Exit: bytes at the most that it had written and that are not in a pipe to the host yet
	Pending int
	Passed  bool    // after such an Exit: now they are
	Gone    *gone   // the last: nothing of it runs any longer
	Typing  *typing // to Look
}

// A commandID tells the commands of a worker apart. The host numbers them, from 1.
type commandID uint64

// A setup makes a process a worker. It says what is the same for all commands.
type setup struct {
	Engine string
	// what compiles modules, and how: a worker where that is something else does not start
	By     string
	Caches []string // directories that have what was compiled
	// the worker is to compile the module that comes with this, to Stage, and no guest runs
	Compile    bool
	Stage      string
	Required   bool // the worker is to end where it can't give up what it should
	Processors int  // that it may use
	Most       int  // commands that it may have at once

	Env, Commands []string // Commands are numbered in this order
	Modules       []int    // by command: those with the same number have one module
	Direct        []int    // by command: the number of the module that stands for it, or -1
	Mounts        []mount
	Hidden        []string
	Dir           string
	Limits        limits
	Deterministic bool
	HTTP          bool   // the host fetches
	Warm          int    // the command that is likely to be run, or -1
	WarmSum       []byte // of its module
}

type mount struct {
	Dir, Guest string
	ReadOnly   bool
	Own        bool
}

type limits hostwasm.Limits

// A session is what all commands of a worker are handed over besides the mounts:
// before the first of them the worker gives up all other files.
type session struct {
	Roots []string
	Tmp   string // the host's directory for the session's /tmp
	Near  []near
}

// A job is a command that Resolve has found.
type job struct {
	Path, Cwd                   string
	Argv, Env                   []string
	Pty, OneStream, Interactive bool
	Fetches                     bool // by HTTP, where any command may
	Size                        size
}

// A near is a directory where a worker does what takes a name by itself: that of
// these numbers, whatever comes in its place. In others the host does.
type near struct {
	Dir      string
	Dev, Ino uint64
}

// ready says that a worker waits for its job, or why it does not.
type ready struct {
	Measures []Measure
	Refusal  string
}

// started says whether a command runs, a session can begin, or a module was
// compiled, or why not.
type started struct {
	Reason, Text string // as in core.HostError; Text is empty if it runs
	Op           string // of its fs.PathError: what is the matter; may be empty
}

// A size is what the terminal of a command has from now on.
type size struct{ Rows, Cols int }

// gone says what a command has left behind in its worker: nothing, or a guest in a
// file system that does not answer.
type gone struct{ Stuck bool }

// A typing says whether the command waits for somebody to type, when it has been
// given so many bytes of what was typed.
type typing struct {
	Taken   uint64
	Reading bool
	Raw     bool // carriage return reaches the command as it is typed
}

type exit core.Exit

// reasons are those that a command in a worker can end for.
var reasons = []core.Reason{
	core.ReasonNone, core.ReasonTimeout, core.ReasonLost, core.ReasonTrap, core.ReasonMemory, core.ReasonStack, core.ReasonFuel,
	core.ReasonOutput, core.ReasonOpenFiles, core.ReasonDisk, core.ReasonProcesses,
}

// possible reports whether a command can end so.
func (e *exit) possible() bool {
	return (e.Status.Signal == "" || hostwasm.IsSignal(e.Status.Signal)) && e.Status.ExitCode <= 0xff &&
		slices.Contains(reasons, e.Reason) &&
		e.Usage.UserTime >= 0 && e.Usage.SystemTime >= 0 && e.Usage.MaxRSS >= 0
}

// refusal returns the error that a worker tells of, or nil.
func (s *started) refusal() error {
	if s.Text == "" {
		return nil
	}
	e := &core.HostError{Reason: s.Reason, Message: s.Text}
	if s.Op != "" {
		e.Err = &fs.PathError{Op: s.Op, Err: errors.New(s.Text)}
	}
	return e
}

// An ask is a question; the answer has its ID.
type ask struct {
	ID     uint64
	What   question
	Module int // for askSum, askModule and askCompile: the number of a command that has it
	// for askMemory and the like: how much is needed; for askMode, askOpen and askMkdir, the mode
	Number int64
	Times  times // for askTimes
	// for askCompileFile, in messages; for askMode and what follows it, the file below Dir
	Name  string
	To    string // for askRename and askLink, the new name; for askSymlink, the target
	How   how    // for askOpen
	Dir   string // for askMode and what follows it: as in the Setup or the Job
	Sum   string // for askKept: the module's
	Again bool   // for askCompile and askCompileFile: what is kept can't be loaded
}

type times vfs.Times

// A how is what a worker may set of vfs.How; the mode is the question's Number.
type how struct{ Read, Write, Append, Create, Exclusive, Directory bool }

type question int

const (
	askSum    question = iota // of a command's module: SHA-256
	askModule                 // the answer comes with the file
	askCompile
	askFile        // the answer comes with an empty file, for a module of the guest's
	askCompileFile // what is in that
	askKept        // what was compiled of a module, if anything
	askMemory      // in bytes
	askTmpBytes
	askTmpNames
	askMode  // the answer's Number is an errno.Errno
	askTimes // as of askMode, and so on
	askOpen  // the answer comes with the file
	askMkdir
	askUnlink
	askRmdir
	askRename
	askLink
	askSymlink
	askFetch // the answer comes with what an exchange is read from and written to
	askLetGo // Number is the ID of an askFetch, of whose exchange a guest has let go
)

// inTree reports whether the host looks for the answer in a directory that was handed
// over.
func (q question) inTree() bool { return askMode <= q && q <= askSymlink }

type answer struct {
	ID     uint64
	Number int64 // that was asked for, or more, or 0
	Sum    []byte
	Kept   kept
	Error  string
}

// kept is a cache.Entry, which the host has checked.
type kept cache.Entry

func (m *message) Wire(c *wire.Codec) {
	wire.Number(c, &m.Command)
	wire.Optional(c, &m.Setup)
	wire.Optional(c, &m.Session)
	wire.Optional(c, &m.Answer)
	wire.Optional(c, &m.Job)
	wire.Text(c, &m.Signal)
	c.Flag(&m.Look)
	wire.Optional(c, &m.Size)
	c.Flag(&m.End)
	c.Flag(&m.Calls)
	wire.Optional(c, &m.Ready)
	wire.Optional(c, &m.Ask)
	wire.Optional(c, &m.Started)
	wire.Optional(c, &m.Exit)
	wire.Number(c, &m.Pending)
	c.Flag(&m.Passed)
	wire.Optional(c, &m.Gone)
	wire.Optional(c, &m.Typing)
}

func (s *setup) Wire(c *wire.Codec) {
	wire.Text(c, &s.Engine)
	wire.Text(c, &s.By)
	wire.List(c, &s.Caches, wire.Text)
	c.Flag(&s.Compile)
	wire.Text(c, &s.Stage)
	c.Flag(&s.Required)
	wire.Number(c, &s.Processors)
	wire.Number(c, &s.Most)
	wire.List(c, &s.Env, wire.Text)
	wire.List(c, &s.Commands, wire.Text)
	wire.List(c, &s.Modules, wire.Number)
	wire.List(c, &s.Direct, wire.Number)
	wire.List(c, &s.Mounts, func(c *wire.Codec, m *mount) {
		wire.Text(c, &m.Dir)
		wire.Text(c, &m.Guest)
		c.Flag(&m.ReadOnly)
		c.Flag(&m.Own)
	})
	wire.List(c, &s.Hidden, wire.Text)
	wire.Text(c, &s.Dir)
	s.Limits.Wire(c)
	c.Flag(&s.Deterministic)
	c.Flag(&s.HTTP)
	wire.Number(c, &s.Warm)
	c.Bytes(&s.WarmSum)
}

func (l *limits) Wire(c *wire.Codec) {
	for _, n := range []*int64{&l.Memory, &l.Stack, &l.Fuel, &l.Output, &l.Disk, &l.Scratch, &l.Module} {
		wire.Number(c, n)
	}
	for _, n := range []*int{&l.Table, &l.Files, &l.OpenFiles, &l.Arguments, &l.Processes, &l.Flow} {
		wire.Number(c, n)
	}
	wire.Number(c, &l.Wall)
	wire.Number(c, &l.Compile)
}

func (s *session) Wire(c *wire.Codec) {
	wire.List(c, &s.Roots, wire.Text)
	wire.Text(c, &s.Tmp)
	wire.List(c, &s.Near, func(c *wire.Codec, n *near) {
		wire.Text(c, &n.Dir)
		wire.Number(c, &n.Dev)
		wire.Number(c, &n.Ino)
	})
}

func (j *job) Wire(c *wire.Codec) {
	wire.Text(c, &j.Path)
	wire.Text(c, &j.Cwd)
	wire.List(c, &j.Argv, wire.Text)
	wire.List(c, &j.Env, wire.Text)
	c.Flag(&j.Pty)
	c.Flag(&j.OneStream)
	c.Flag(&j.Interactive)
	c.Flag(&j.Fetches)
	j.Size.Wire(c)
}

func (s *size) Wire(c *wire.Codec) {
	wire.Number(c, &s.Rows)
	wire.Number(c, &s.Cols)
}

func (r *ready) Wire(c *wire.Codec) {
	wire.List(c, &r.Measures, func(c *wire.Codec, m *Measure) {
		wire.Text(c, &m.Name)
		c.Flag(&m.Used)
		wire.Text(c, &m.Detail)
	})
	wire.Text(c, &r.Refusal)
}

func (s *started) Wire(c *wire.Codec) {
	wire.Text(c, &s.Reason)
	wire.Text(c, &s.Text)
	wire.Text(c, &s.Op)
}

func (e *exit) Wire(c *wire.Codec) {
	wire.Number(c, &e.Status.ExitCode)
	wire.Text(c, &e.Status.Signal)
	c.Flag(&e.Status.Unknown)
	wire.Text(c, &e.Reason)
	wire.Number(c, &e.Usage.UserTime)
	wire.Number(c, &e.Usage.SystemTime)
	wire.Number(c, &e.Usage.MaxRSS)
	wire.Number(c, &e.Usage.Fuel)
}

func (g *gone) Wire(c *wire.Codec) { c.Flag(&g.Stuck) }

func (t *typing) Wire(c *wire.Codec) {
	wire.Number(c, &t.Taken)
	c.Flag(&t.Reading)
	c.Flag(&t.Raw)
}

func (q *ask) Wire(c *wire.Codec) {
	wire.Number(c, &q.ID)
	wire.Number(c, &q.What)
	wire.Number(c, &q.Module)
	wire.Number(c, &q.Number)
	q.Times.Wire(c)
	wire.Text(c, &q.Name)
	wire.Text(c, &q.To)
	q.How.Wire(c)
	wire.Text(c, &q.Dir)
	wire.Text(c, &q.Sum)
	c.Flag(&q.Again)
}

func (t *times) Wire(c *wire.Codec) {
	wire.Number(c, &t.Atim)
	wire.Number(c, &t.Mtim)
	c.Flag(&t.SetAtim)
	c.Flag(&t.SetMtim)
}

func (h *how) Wire(c *wire.Codec) {
	for _, flag := range []*bool{&h.Read, &h.Write, &h.Append, &h.Create, &h.Exclusive, &h.Directory} {
		c.Flag(flag)
	}
}

func (a *answer) Wire(c *wire.Codec) {
	wire.Number(c, &a.ID)
	wire.Number(c, &a.Number)
	c.Bytes(&a.Sum)
	wire.Text(c, &a.Kept.Dir)
	wire.Text(c, &a.Kept.State)
	wire.Text(c, &a.Error)
}
