//go:build wasmtime

package wasmtime

import (
	"errors"
	"os"
	"path/filepath"
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

func open(t *testing.T, c Config) *Engine {
	t.Helper()
	e, err := New(c)
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
	p, err := open(t, Config{}).Compile(t.Context(), calling(t), []engine.Func{{Module: "m", Name: "f",
		Call: func(any, []byte, []uint64) error {
			running.Done()
			<-stop
			return nil
		}}})
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

// What was compiled is used again, and made again where it is not as it was.
func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	module := calling(t)
	works := func() {
		t.Helper()
		calls := 0
		p, err := open(t, Config{CacheDir: dir}).Compile(t.Context(), module, []engine.Func{{Module: "m", Name: "f",
			Call: func(any, []byte, []uint64) error { calls++; return nil }}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if err := p.Run(engine.RunConfig{Refill: refillAlways}); err != nil || calls != 1 {
			t.Errorf("got %v and %d calls, want nil and 1", err, calls)
		}
	}
	works()
	files, err := filepath.Glob(filepath.Join(dir, "*", codeFile))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v, want one file", files, err)
	}
	first, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	works()
	if again, err := os.Stat(files[0]); err != nil || !os.SameFile(first, again) || again.ModTime() != first.ModTime() {
		t.Errorf("got another file, %v, want the same", err)
	}
	if err := os.WriteFile(files[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	works()
	if again, err := os.Stat(files[0]); err != nil || again.Size() != first.Size() {
		t.Errorf("got %d bytes, %v, want %d", again.Size(), err, first.Size())
	}
}
