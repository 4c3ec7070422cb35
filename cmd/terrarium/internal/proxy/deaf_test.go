//go:build unix

package proxy

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// noHost starts nothing.
type noHost struct{}

func (noHost) Resolve(context.Context, core.Command) (core.Exec, error) {
	return core.Exec{}, os.ErrNotExist
}

func (noHost) Start(context.Context, core.Exec) (driver.Process, error) {
	return nil, errors.ErrUnsupported
}

// TestDeafAgent: an agent that reads nothing has one grace when its editor leaves.
func TestDeafAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, editor, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(editor, "{}\n")
		editor.Close()
		unread, input := io.Pipe()
		toEditor := newLineWriter(io.Discard)
		p := &proxy{
			config: Config{In: in, Pass: true}, toAgent: newLineWriter(input), toEditor: toEditor,
			agent: &agent{driver: driver.New(driver.Config{Host: noHost{}}), gone: make(chan struct{})},
		}
		defer p.agent.driver.Close()
		begun := time.Now()
		if err := p.wait(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took != leaveGrace {
			t.Errorf("it had %v, want %v", took, leaveGrace)
		}
		unread.Close() // whoever writes there is left behind
		p.toAgent.close()
		synctest.Wait()
		in.Close()
	})
}
