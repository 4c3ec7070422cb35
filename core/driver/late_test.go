package driver_test

import (
	"context"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// lateHost has processes that hand in output after Output has returned, which a Host must not.
type lateHost struct{ host }

func (lateHost) Start(context.Context, core.Exec) (driver.Process, error) {
	return &lateProcess{read: make(chan struct{})}, nil
}

type lateProcess struct {
	sink func(stream uint8, p []byte)
	read chan struct{} // closed when Output returns
}

func (p *lateProcess) Output(sink func(stream uint8, p []byte)) error {
	sink(1, []byte("in time"))
	p.sink = sink
	close(p.read)
	return nil
}

func (p *lateProcess) Wait() (core.Exit, error) {
	<-p.read
	return core.Exit{}, nil
}

func (p *lateProcess) Close() error {
	p.sink(1, []byte("too late"))
	return nil
}

func (*lateProcess) Write(p []byte) (int, error) { return len(p), nil }
func (*lateProcess) CloseInput() error           { return nil }
func (*lateProcess) Resize(int, int) error       { return nil }
func (*lateProcess) Signal(string) error         { return nil }

// Such output is dropped.
func TestLateOutput(t *testing.T) {
	d := driver.New(driver.Config{Host: lateHost{}})
	defer d.Close()
	term, err := d.Create(t.Context(), "", core.Command{Command: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := term.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.CloseSession("")
	other, err := d.Create(t.Context(), "", core.Command{Command: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, _ := other.Output(); out != "in time" {
		t.Errorf("got %q, want what came in time", out)
	}
}
