//go:build wasmtime

package wasmtime

import (
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// calling returns a metered module that calls m.f.
func calling(t *testing.T) []byte {
	t.Helper()
	var m Module
	f := m.Import("m", "f", "()->()")
	m.Export("_start", m.Func("()->()", "", Call(f)))
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return metered
}

func open(t *testing.T) *Engine {
	t.Helper()
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func refillAlways(int64) (int64, error) { return 1 << 20, nil }

// Each guest has a thread: one too many is told so, and the others go on.
func TestTooManyGuests(t *testing.T) {
	var running, ended sync.WaitGroup
	stop := make(chan struct{})
	p, err := open(t).Compile(t.Context(), calling(t), []engine.Func{{Module: "m", Name: "f",
		Call: func(any, *engine.Memory, []uint64) error {
			running.Done()
			<-stop
			return nil
		}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	running.Add(maxGuests)
	for range maxGuests {
		ended.Go(func() {
			if err := p.Run(engine.RunConfig{Refill: refillAlways}); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if err := p.Run(engine.RunConfig{Refill: refillAlways}); !errors.Is(err, engine.ErrTooMany) {
		t.Errorf("got %v, want %v", err, engine.ErrTooMany)
	}
	close(stop)
	ended.Wait()
	running.Add(1)
	if err := p.Run(engine.RunConfig{Refill: refillAlways}); err != nil {
		t.Errorf("afterwards: got %v", err)
	}
}

// The version that is assumed where a program is not told is that in go.mod.
func TestUsualVersion(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/bytecodealliance/wasmtime-go/v39").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != usual {
		t.Errorf("got %s, %v, want %s", got, err, usual)
	}
}
