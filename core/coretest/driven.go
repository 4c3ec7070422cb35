package coretest

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// RunDriven runs a script against package driver, and acpconn for scripts with
// an ACP peer, on a fake host and in virtual time.
func RunDriven(t *testing.T, file string) {
	synctest.Test(t, func(t *testing.T) {
		d := &driven{host: newFakeHost()}
		defer d.close()
		Run(t, file, d, true)
	})
}

// driven is a Target over a driver, inside a synctest bubble: when everything
// in the bubble waits, an input has had all its effects.
type driven struct {
	host   *fakeHost
	driver *driver.Driver
	acp    bool
	ids    map[int]core.TerminalID // by number

	toPeer io.WriteCloser // with an ACP peer: where its lines go
	served chan struct{}

	mu       sync.Mutex
	observed []string // news and lines
}

// scriptID has the number of an id, which is all that an Effect shows.
func scriptID(n int) core.TerminalID { return core.TerminalID("term_" + strconv.Itoa(n) + "_") }

var idPattern = regexp.MustCompile(`^term_(\d+)_`)

func (d *driven) Do(in Line) ([]string, error) {
	if d.driver == nil {
		if err := d.configure(in); err != nil || in.Verb == "config" {
			return nil, err
		}
	}
	var out []string
	cmdErr, err := d.input(in, &out)
	if err != nil {
		return nil, err
	}
	if cmdErr != nil {
		out = append(out, "< error "+strconv.Quote(cmdErr.Error()))
	}
	synctest.Wait()
	d.learn()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, line := range d.observed {
		out = append(out, d.hideIDs(line))
	}
	d.observed = nil
	return append(out, d.host.take()...), nil
}

func (d *driven) configure(in Line) error {
	if in.Verb != "config" {
		in = Line{}
	}
	if in.Has("no-driver") {
		return ErrNotHere
	}
	c, err := in.Config()
	if err != nil {
		return err
	}
	d.ids = make(map[int]core.TerminalID)
	config := driver.Config{Host: d.host, Core: c, OnNews: d.onNews}
	if c.Ask {
		config.Decide = d.host.decide
	}
	if !in.Has("acp") {
		d.driver = driver.New(config)
		return nil
	}
	d.acp = true
	server := acpconn.New(acpconn.Config{Driver: config, ACP: ACPConfig})
	d.driver = server.Driver()
	d.serve(server)
	return nil
}

// serve connects an ACP peer whose lines are observed.
func (d *driven) serve(server *acpconn.Server) {
	fromScript, toServer := io.Pipe()
	fromServer, toScript := io.Pipe()
	d.toPeer = toServer
	d.served = make(chan struct{})
	go func() {
		server.Serve(context.Background(), fromScript, toScript)
		toScript.Close()
		close(d.served)
	}()
	go func() {
		buf := make([]byte, 64<<10)
		rest := ""
		for {
			n, err := fromServer.Read(buf)
			lines := strings.Split(rest+string(buf[:n]), "\n")
			rest = lines[len(lines)-1]
			d.onLines(lines[:len(lines)-1])
			if err != nil {
				return
			}
		}
	}()
}

func (d *driven) onNews(e *core.Effect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.acp {
		d.observed = append(d.observed, "< "+e.String())
	}
}

func (d *driven) onLines(lines []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, line := range lines {
		d.observed = append(d.observed, "<-- "+line)
	}
}

// learn keeps the ids of the driver's terminals, by number.
func (d *driven) learn() {
	for _, id := range d.driver.Terminals() {
		n, _ := strconv.Atoi(idPattern.FindStringSubmatch(string(id))[1])
		d.ids[n] = id
	}
}

func (d *driven) hideIDs(s string) string {
	for n, id := range d.ids {
		s = strings.ReplaceAll(s, string(id), "$t"+strconv.Itoa(n))
	}
	return s
}

var namePattern = regexp.MustCompile(`\$t(\d+)`)

func (d *driven) showIDs(s string) string {
	return namePattern.ReplaceAllStringFunc(s, func(name string) string {
		n, _ := strconv.Atoi(name[2:])
		if id, ok := d.ids[n]; ok {
			return string(id)
		}
		return name
	})
}

// number is N for "tN", else 0.
func number(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(name, "t"))
	return n
}

func (d *driven) id(name string) core.TerminalID {
	if id, ok := d.ids[number(name)]; ok {
		return id
	}
	return core.TerminalID(name)
}

func (d *driven) input(in Line, out *[]string) (cmdErr, err error) {
	n, id := number(in.Word(0)), d.id(in.Word(0))
	switch in.Verb {
	case "create":
		c, err := in.Command()
		if err != nil {
			return nil, err
		}
		_, cmdErr = d.driver.Begin(core.SessionID(in.Word(0)), c)
	case "write":
		_, cmdErr = d.driver.Terminal(id).Write([]byte(in.Word(1)))
	case "close_input":
		cmdErr = d.driver.Terminal(id).CloseInput()
	case "resize":
		rows, err1 := strconv.Atoi(in.Word(1))
		cols, err2 := strconv.Atoi(in.Word(2))
		if err := firstError(err1, err2); err != nil {
			return nil, err
		}
		cmdErr = d.driver.Terminal(id).Resize(rows, cols)
	case "kill":
		cmdErr = d.driver.Terminal(id).Kill()
	case "kill_now":
		cmdErr = d.driver.Terminal(id).KillNow()
	case "release":
		cmdErr = d.driver.Terminal(id).Release()
	case "close_session":
		cmdErr = d.driver.CloseSession(core.SessionID(in.Word(0)))
	case "advance":
		pass, err := time.ParseDuration(in.Word(0))
		if err != nil {
			return nil, err
		}
		time.Sleep(pass)
	case "show":
		*out = append(*out, Show(shower{d.driver}, in.Word(0), id))
	case "-->":
		_, err = io.WriteString(d.toPeer, d.showIDs(in.Raw)+"\n")
		return nil, err
	case "eof":
		return nil, d.toPeer.Close()
	default:
		return nil, d.answer(n, in)
	}
	return cmdErr, nil
}

// answer has the fake host answer for terminal n. What nobody asked is lost.
func (d *driven) answer(n int, in Line) error {
	t := d.host.terminal(n)
	if t == nil {
		return nil
	}
	d.host.mu.Lock()
	d.host.current = n
	d.host.mu.Unlock()
	switch in.Verb {
	case "resolved":
		offer(t.resolve, resolution{in.Exec(), in.Err()})
	case "decision":
		offer(t.decision, in.Decision())
	case "question", "cancel_question":
		offer(t.question, in)
	case "start":
		offer(t.start, in.Err())
	case "output":
		stream, err := strconv.ParseUint(in.Word(1), 10, 8)
		if err != nil {
			return err
		}
		t.send(fakeOutput{uint8(stream), []byte(in.Word(2))})
	case "output_end":
		t.send(fakeOutput{})
	case "exit":
		e, err := in.Exit()
		if err != nil {
			return err
		}
		if t.process != nil {
			offer(t.process.exit, e)
		}
	case "closed":
		if t.process != nil {
			offer(t.process.freed, struct{}{})
		}
	case "written":
		// The fake process takes all input at once.
	default:
		return fmt.Errorf("no such input: %s", in.Verb)
	}
	return nil
}

func (t *fakeTerminal) send(o fakeOutput) {
	if t.process != nil {
		t.process.send(o, synctest.Wait)
	}
}

// offer answers if the question is open, once.
func offer[T any](question chan T, answer T) {
	select {
	case question <- answer:
	default:
	}
}

// close ends everything in the bubble.
func (d *driven) close() {
	close(d.host.ended)
	if d.toPeer != nil {
		d.toPeer.Close()
		<-d.served
	}
	if d.driver != nil {
		d.driver.Close()
	}
}

// shower shows a driver's terminals.
type shower struct{ *driver.Driver }

func (s shower) Status(id core.TerminalID) (core.Status, bool) { return s.Terminal(id).Status() }

func (s shower) Output(id core.TerminalID) ([]byte, bool) { return s.Terminal(id).AppendOutput(nil) }
