package place

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/trypipe"
)

// A Dialer makes connections to a command of ours at a place, one at a time. Its methods are for
// one goroutine, but for Close.
type Dialer struct {
	Place *Place
	Far   []string // the command line over there

	// Said, if set, is told what a program says on standard error while it carries a connection
	// that was Made, a line each, behind whose it is: "ssh:box says: LINE". A line is fit to be
	// shown, and LINE of at most 400 bytes before that. There are 20 at once, one more for each
	// second, and 1,000 in all. Who says more than that is read slowly. Said must not wait, nor
	// call a method of the Dialer.
	Said func(line string)
	// From is whose lines these are; "": the Place's.
	From string

	mu     sync.Mutex // guards what follows
	last   *conn      // the newest
	made   bool       // a connection was Made
	teller *teller    // nil before the first Made
	conns  map[*conn]bool
	closed bool
}

// closeLimit is how long a program may take to end that is to: it may have something to send yet.
const closeLimit = 2 * time.Second

// heedless starts a program that ^C at our terminal is not for: the connection has to carry what
// that becomes over there.
const heedless = `trap "" INT QUIT; exec "$@"`

// Dial starts the program. It does not wait until that has reached anything: a failure shows when
// the connection is read. ctx is looked at only before.
//
// The first program may ask at our terminal, for a password for one. Once a connection was Made, a
// command may have the terminal. What a person types is read for it then, and both would read at
// the same time: the command could get the password. So later programs have no terminal.
func (d *Dialer) Dial(ctx context.Context) (io.ReadWriteCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	made := d.made
	d.mu.Unlock()
	c, err := d.Place.start(!made, d.Far...)
	switch added := d.add(c); {
	case err != nil:
		return nil, err
	case !added:
		c.Close()
		return nil, os.ErrClosed
	}
	return c, nil
}

// Made says that the newest connection carries something, so that Said is told what its program
// says. Any goroutine may call it.
func (d *Dialer) Made() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made = true
	if d.Said == nil || d.last == nil {
		return
	}
	if d.teller == nil {
		d.teller = newTeller(cmp.Or(d.From, d.Place.String()), d.Said)
	}
	d.last.said.made(d.teller)
}

// LastSaid returns the last line that the newest program has said so far, fit to be shown and
// without the "terrarium: " of ours, or "". Any goroutine may call it.
func (d *Dialer) LastSaid() string {
	d.mu.Lock()
	c := d.last
	d.mu.Unlock()
	if c == nil {
		return ""
	}
	return strings.TrimPrefix(c.said.newest(), ours)
}

// add notes the newest connection, or that there is none, to wait for its program.
func (d *Dialer) add(c *conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = c
	if c == nil {
		return true
	}
	if d.closed {
		return false
	}
	if d.conns == nil {
		d.conns = make(map[*conn]bool)
	}
	for old := range d.conns {
		select {
		case <-old.ended:
			delete(d.conns, old)
		default:
		}
	}
	d.conns[c] = true
	return true
}

// Close closes all connections and waits until their programs have ended.
func (d *Dialer) Close() error {
	d.mu.Lock()
	d.closed = true
	conns := d.conns
	d.conns = nil
	d.mu.Unlock()
	for c := range conns {
		c.Close()
	}
	for c := range conns {
		<-c.ended
	}
	if d.teller != nil {
		d.teller.end()
	}
	return nil
}

// Killed reports whether the newest program was killed, by us or by others, so that nobody knows
// how far it had come. It waits for the program's end.
func (d *Dialer) Killed() bool {
	d.mu.Lock()
	c := d.last
	d.mu.Unlock()
	if c == nil {
		return false
	}
	<-c.ended
	return c.status < 0
}

// A conn is a program that runs, and the two ends of its standard streams that are ours.
type conn struct {
	in      trypipe.Writer // what it reads
	out     *os.File       // what it writes
	said    *tail          // on standard error
	closing sync.Once
	shut    chan struct{} // closed by Close
	ended   chan struct{} // closed when the program was waited for, and status is set
	status  int           // as a shell has it; -1 if it was killed
	process *os.Process
	place   *Place
	far     string // what it is to start over there
}

// start starts the user's program, which starts far over there. It may ask at our terminal if asks
// says so.
func (p *Place) start(asks bool, far ...string) (_ *conn, err error) {
	argv := p.Argv(far...)
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, p.noProgram(argv[0], err)
	}
	var ends [6]*os.File // for the streams 0 to 2, the program's and ours
	defer func() {
		for i, end := range ends {
			if end != nil && (err != nil || i%2 == 0) {
				end.Close()
			}
		}
	}()
	if ends[0], ends[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	for i := 2; i < len(ends); i += 2 {
		if ends[i+1], ends[i], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	trypipe.Widen(ends[3])
	cmd := exec.Command("sh", append([]string{"-c", heedless, "sh", path}, argv[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[2], ends[4]
	switch {
	case !asks:
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case p.apart:
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	if err := cmd.Start(); err != nil {
		return nil, &Failure{Place: p.name, Text: argv[0] + " can't be started: " + err.Error()}
	}
	c := &conn{in: trypipe.NewWriter(ends[1]), out: ends[3], said: newTail(), shut: make(chan struct{}), ended: make(chan struct{}), process: cmd.Process, place: p, far: far[0]}
	p.programs.add(c.process)
	go c.said.read(ends[5]) // ends with the program, or closes with wait
	go c.wait(cmd, ends[5]) // ends with the program
	return c, nil
}

// noProgram says that a program is missing.
func (p *Place) noProgram(name string, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return &Failure{Place: p.name, Text: "there is no " + name + " in PATH: install it"}
	}
	return &Failure{Place: p.name, Text: err.Error()}
}

// wait waits for the program. Others may have its standard error too, as ssh's master connection
// has, so the end of that is not waited for.
func (c *conn) wait(cmd *exec.Cmd, stderr *os.File) {
	cmd.Wait()
	c.place.programs.remove(c.process)
	c.status = cmd.ProcessState.ExitCode()
	c.said.finish(stderr)
	close(c.ended)
}

// Read implements io.Reader. At the end of what the program writes, the error is a *Failure.
func (c *conn) Read(p []byte) (int, error) {
	if c.isShut() {
		return 0, os.ErrClosed
	}
	n, err := c.out.Read(p)
	switch {
	case err != nil && c.isShut():
		err = os.ErrClosed
	case err == io.EOF:
		err = c.whyEnded(err)
	}
	return n, err
}

func (c *conn) isShut() bool {
	select {
	case <-c.shut:
		return true
	default:
		return false
	}
}

// whyEnded waits for a program that reads or writes no more. The error is err if it goes on.
func (c *conn) whyEnded(err error) error {
	c.said.hold()
	late := time.NewTimer(closeLimit)
	defer late.Stop()
	select {
	case <-c.ended:
		return c.explain("")
	case <-c.shut:
		return os.ErrClosed
	case <-late.C:
		return err
	}
}

// Write implements io.Writer. Where the program has ended, the error is a *Failure: whoever writes
// may find that out before whoever reads.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.in.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = c.whyEnded(err)
	}
	return n, err
}

// TryWrite implements remote.TryWriter.
func (c *conn) TryWrite(p []byte) int { return c.in.TryWrite(p) }

// Close implements io.Closer. It ends Read and Write at once. The program can send what it has read
// from us for a while yet, before it is killed; Dialer.Close waits for that.
func (c *conn) Close() error {
	c.closing.Do(func() {
		close(c.shut)
		c.said.quit()
		c.in.Close()
		c.out.SetReadDeadline(time.Now()) // whoever reads leaves
		go c.end()                        // ends with the program, which is killed
	})
	return nil
}

// end sees to it that the program ends.
func (c *conn) end() {
	kill := time.AfterFunc(closeLimit, func() { c.process.Kill() })
	c.out.SetReadDeadline(time.Time{})
	drained := make(chan struct{})
	go func() { // ends with out
		io.Copy(io.Discard, c.out) // or it might end before it has sent all
		close(drained)
	}()
	<-c.ended
	kill.Stop()
	c.out.Close()
	<-drained
}
