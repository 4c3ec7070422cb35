//go:build linux || darwin

package worker_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// A module that takes too long to compile is given up by the processor time that
// it took, which is told.
func TestCompilesTooLong(t *testing.T) {
	var m metertest.Module
	m.Memory(1, 0)
	m.ExportMemory("memory")
	turn := metertest.Loop(metertest.EmptyType, metertest.I32(0), metertest.BrIf(0))
	m.Export("_start", m.Func("()->()", "", bytes.Repeat(turn, 8500)))
	h, err := worker.New(worker.Config{
		Commands: map[string]*hostwasm.Module{"slow": hostwasm.NewModule("slow", m.Bytes())},
		CacheDir: filepath.Join(t.TempDir(), "cache"), TmpDir: t.TempDir(), Pool: -1, Limits: hostwasm.Limits{Compile: time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for range 30 {
		err = h.Prepare(t.Context(), "slow")
		// A machine that gives it less than a tenth of a processor shows nothing: it is given up by
		// the clock before it has had its time.
		if err == nil || !strings.Contains(err.Error(), "takes longer than 10s") {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "more than 1s of processor time") {
		t.Errorf("got %v, want it to have taken more than 1s of processor time", err)
	}
}

// A module that takes little processor time to compile is not given up because
// the machine does other things meanwhile.
func TestCompilesOnBusyMachine(t *testing.T) { onEachEngine(t, testCompilesOnBusyMachine) }

func testCompilesOnBusyMachine(t *testing.T, engine string) {
	// The compiler's start takes processor time, too: on a slow machine more than a short limit.
	// Who only waits is never refused for that.
	for limit := time.Second; ; limit *= 4 {
		h := newHost(t, worker.Config{
			Engine: engine, CacheDir: filepath.Join(t.TempDir(), "cache"), Pool: -1, Limits: hostwasm.Limits{Compile: limit},
			Compiling: func(string, int) func() {
				<-time.After(limit + limit/4) // by the clock, before the compiler has begun
				return nil
			},
		})
		e, err := h.Resolve(t.Context(), core.Command{Command: "small"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Start(t.Context(), e)
		if err != nil && strings.Contains(err.Error(), "of processor time") && limit < 10*time.Second {
			continue
		}
		if err != nil {
			t.Fatalf("got %v, want it to run", err)
		}
		defer p.Close()
		if exit, err := p.Wait(); err != nil || exit.Status != (core.ExitStatus{ExitCode: 7}) {
			t.Errorf("got %+v, %v, want it to run", exit, err)
		}
		return
	}
}
