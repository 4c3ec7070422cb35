package core

import "time"

// A Config holds the limits and timing rules of a Registry.
// The zero value is usable, but for Seed. A limit that is negative is one of
// zero: it allows nothing.
type Config struct {
	// Seed makes terminal ids unguessable. It must come from a good source of
	// randomness wherever ids are a defence; scripts fix it. With a zero Seed
	// anybody can compute the ids: driver.New puts a random one in its place, and
	// the reactor refuses it.
	Seed [16]byte

	// Ask has the machine ask (the Ask effect) before it starts anything.
	Ask bool

	// KillGrace is how long a command may take to end on SIGTERM before it
	// gets SIGKILL. If zero, 5 s. If negative, SIGKILL comes at once.
	KillGrace time.Duration
	// LostAfter is how long after SIGKILL a command that was released, or that
	// ran for longer than its Timeout, may take to be reported dead before it
	// counts as lost. If zero, 10 s.
	LostAfter time.Duration
	// DrainSilence ends the drain after an exit: no output for so long means
	// that all of it has come. If zero, 20 ms.
	DrainSilence time.Duration
	// DrainLimit bounds the drain, for commands that leave a chatty child
	// behind. It does not count while what the command itself had written is
	// being read, where the driver knows of it (HandleOutputPending). If zero,
	// 250 ms.
	DrainLimit time.Duration
	// Timeout is the wall-clock limit of commands that set none. It counts from
	// their start: nobody has said how long they may take to start.
	// If zero or negative, there is none.
	Timeout time.Duration

	// Rows and Cols are the size of terminals that set none. If zero, 40x120.
	Rows, Cols int

	// OutputByteLimit is how many bytes of output terminals keep that set no
	// limit. If zero, 1 MiB.
	OutputByteLimit int64
	// MaxOutputByteLimit bounds the limit that a client may ask for.
	// If zero, 8 MiB.
	MaxOutputByteLimit int64
	// MaxInput is how many bytes of input may wait to be taken, per terminal.
	// If zero, 1 MiB.
	MaxInput int
	// LiveBytes is how many bytes of new output an OutputChanged effect
	// carries at the most. If zero, it carries none.
	LiveBytes int

	// MaxTerminals bounds the terminals not yet freed, of all sessions.
	// If zero, 4096.
	MaxTerminals int
	// MaxSessionTerminals bounds those of one session. If zero, 256.
	MaxSessionTerminals int
	// MaxOutputBytes bounds what all terminals not yet freed may hold: the sum
	// of their output limits, their screens, and what their commands hold, of which
	// Args, Env and Roots count until the start. If zero, 1 GiB.
	MaxOutputBytes int64
	// KeepTerminals is how many released terminals per session keep their
	// output for display. If zero, 256.
	KeepTerminals int
	// KeepBytes bounds the memory that those hold. If zero, 64 MiB.
	KeepBytes int64
	// MaxKeptTerminals and MaxKeptBytes bound the same for all sessions
	// together. If zero, 4096 and 256 MiB.
	MaxKeptTerminals int
	MaxKeptBytes     int64

	// Budget and KeptBudget, if set, bound the same for all Registries that have
	// them: Budget the terminals not yet freed and what they may hold,
	// KeptBudget those that keep their output for display. A trace does not
	// replay what a Budget refused.
	Budget, KeptBudget Budget

	// Screens lets commands have a screen. Those that need one are refused with
	// errors.ErrUnsupported otherwise, and in builds with the tag reactor, which
	// have none.
	Screens bool

	// Trace, if set, is given every input and effect as a line of the script
	// dialect (see package coretest), without newline. It must not call back.
	// Builds with the tag reactor have no trace.
	Trace func(line string)
}

// withDefaults returns c with its zero values replaced.
func (c Config) withDefaults() Config {
	setDefault(&c.KillGrace, 5*time.Second)
	setDefault(&c.LostAfter, 10*time.Second)
	setDefault(&c.DrainSilence, 20*time.Millisecond)
	setDefault(&c.DrainLimit, 250*time.Millisecond)
	setDefault(&c.Rows, 40)
	setDefault(&c.Cols, 120)
	setDefault(&c.OutputByteLimit, 1<<20)
	setDefault(&c.MaxOutputByteLimit, 8<<20)
	setDefault(&c.MaxInput, 1<<20)
	setDefault(&c.MaxTerminals, 4096)
	setDefault(&c.MaxSessionTerminals, 256)
	setDefault(&c.MaxOutputBytes, 1<<30)
	setDefault(&c.KeepTerminals, 256)
	setDefault(&c.KeepBytes, 64<<20)
	setDefault(&c.MaxKeptTerminals, 4096)
	setDefault(&c.MaxKeptBytes, 256<<20)
	if c.Budget == nil {
		c.Budget = unshared{}
	}
	if c.KeptBudget == nil {
		c.KeptBudget = unshared{}
	}
	for _, limit := range []*int{
		&c.MaxInput, &c.LiveBytes, &c.MaxTerminals, &c.MaxSessionTerminals, &c.KeepTerminals, &c.MaxKeptTerminals,
	} {
		*limit = max(0, *limit)
	}
	for _, limit := range []*int64{
		&c.OutputByteLimit, &c.MaxOutputByteLimit, &c.MaxOutputBytes, &c.KeepBytes, &c.MaxKeptBytes,
	} {
		*limit = max(0, *limit)
	}
	return c
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
