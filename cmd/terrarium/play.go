package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
	"github.com/terrarium-dev/terrarium/core/text"
)

const playHelp = `usage: terrarium play [flags] FILE.cast

Plays a recording of a terminal: of "run --record", "harness --record" or
asciinema (asciicast 2 and 3). FILE may be "-". Where our output is no terminal
all of it is printed at once.

  --speed N        play N times as fast; default: 1
  --idle-limit D   wait no longer than this for what comes next, as in 2s;
                   default: what the recording says, else as long as it took
  --raw            let through all that was recorded. Without it a recording
                   only draws: it changes no title and no clipboard, and asks
                   your terminal nothing

While it plays: space stops it and lets it go on, "." shows what comes next
after a stop, "]" goes to the next mark (a turn of harness, say) or else to
the end, and q ends it. So does ^C, with status 130.
`

// playFlags are the flags of play.
type playFlags struct {
	speed float64
	idle  time.Duration
	raw   bool
}

// maxSpeed bounds --speed both ways, so that times stay times.
const maxSpeed = 1000

func newPlay() *cobra.Command {
	var f playFlags
	cmd := &cobra.Command{
		Use:                   "play [flags] FILE.cast",
		Short:                 "play a recording of a terminal",
		Long:                  playHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := f.check()
			if err == nil && len(args) != 1 {
				err = errors.New("want one recording")
			}
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.run(args[0])
		},
	}
	cmd.Flags().Float64Var(&f.speed, "speed", 1, "")
	cmd.Flags().Var((*duration)(&f.idle), "idle-limit", "")
	cmd.Flags().BoolVar(&f.raw, "raw", false, "")
	return cmd
}

func (f *playFlags) check() error {
	switch {
	case !(f.speed >= 1./maxSpeed && f.speed <= maxSpeed):
		return fmt.Errorf("--speed %g: out of range: 0.001 to %d", f.speed, maxSpeed)
	case f.idle < 0:
		return fmt.Errorf("--idle-limit %v: negative", f.idle)
	}
	return nil
}

func (f *playFlags) run(name string) error {
	in, err := openRecording(name)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := cast.NewReader(bufio.NewReaderSize(in, 64<<10))
	if errors.Is(err, cast.ErrNoRecording) {
		return fmt.Errorf("%s: %w: \"terrarium screen\" shows what bytes draw", name, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p := player{events: r, out: os.Stdout, speed: f.speed, idleLimit: f.idle}
	if p.idleLimit == 0 {
		p.idleLimit = r.Header().IdleLimit
	}
	if !isTerminal(os.Stdout) {
		return f.played(name, p.printAll())
	}
	h := r.Header()
	if cols, rows := size(); cols > 0 && (cols < h.Cols || rows < h.Rows) {
		notice(fmt.Sprintf("the recording needs a terminal of %dx%d cells, and this one has %dx%d", h.Cols, h.Rows, cols, rows))
	}
	if !f.raw {
		t := &tamed{w: os.Stdout, filter: text.Filter{}}
		defer t.finish()
		p.out = t
	}
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	p.signals = signals
	var person console
	if in != os.Stdin && isPerson(os.Stdin) {
		if err := person.makeRaw(); err != nil {
			return fmt.Errorf("make our terminal raw: %w", err)
		}
		defer person.restore()
		typed := make(chan byte)
		go readKeys(os.Stdin, typed) // left behind when we exit: nothing ends a Read
		p.keys = typed
	}
	return f.played(name, p.play())
}

// played names the recording in what was wrong with it.
func (f *playFlags) played(name string, err error) error {
	if _, ours := errors.AsType[exitStatus](err); err == nil || ours || errors.Is(err, syscall.EPIPE) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// openRecording opens a file, or is our input for "-".
func openRecording(name string) (*os.File, error) {
	if name == "-" {
		return os.Stdin, nil
	}
	return os.Open(name)
}

// readKeys sends what is typed on r, until that ends.
func readKeys(r io.Reader, typed chan<- byte) {
	buf := make([]byte, 1)
	for {
		if n, err := r.Read(buf); err != nil || n == 0 {
			return
		}
		typed <- buf[0]
	}
}
