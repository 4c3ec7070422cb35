//go:build js

package page_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"syscall/js"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

// endlessly is a Refill that always has more.
func endlessly(int64) (int64, error) { return 1 << 20, nil }

// A call that would wait is made again, with the same parameters, where it may, and
// the guest goes on with its result: of each type.
func TestWaits(t *testing.T) {
	var got []uint64
	tell := engine.Func{Module: "m", Name: "tell", Params: "iIfF", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
		got = append(got, stack...)
		return nil
	}}
	want := []uint64{math.MaxUint32, math.MaxUint64, uint64(math.Float32bits(1.5)), math.Float64bits(-2)}
	tried := 0
	waiting := func(name, results string, result uint64) engine.Func {
		return engine.Func{Module: "m", Name: name, Params: "iI", Results: results,
			Try: func(_ any, _ *engine.Memory, stack []uint64) error {
				if tried++; !page.Trying() {
					t.Errorf("%s: Trying is false", name)
				}
				return engine.ErrWait
			},
			Call: func(_ any, m *engine.Memory, stack []uint64) error {
				if page.Trying() {
					t.Errorf("%s: Trying is true", name)
				}
				time.Sleep(time.Millisecond) // it may
				if stack[0] != 7 || stack[1] != 1<<40 || m.Size() != 1<<16 {
					t.Errorf("%s: got %v, with %d bytes", name, stack, m.Size())
				}
				if results != "" {
					stack[0] = result
				}
				return nil
			}}
	}
	p := program(t, func(m *Module) {
		told := m.Import("m", "tell", "(i32,i64,f32,f64)->()")
		i := m.Import("m", "i", "(i32,i64)->i32")
		l := m.Import("m", "l", "(i32,i64)->i64")
		f := m.Import("m", "f", "(i32,i64)->f32")
		d := m.Import("m", "d", "(i32,i64)->f64")
		none := m.Import("m", "none", "(i32,i64)->()")
		args := Code(I32(7), I64(1<<40))
		m.Export("_start", m.Func("()->()", "",
			args, Call(none), args, Call(i), args, Call(l), args, Call(f), args, Call(d), Call(told)))
	}, tell, waiting("i", "i", want[0]), waiting("l", "I", want[1]), waiting("f", "f", want[2]), waiting("d", "F", want[3]),
		waiting("none", "", 0))
	if err := p.Run(engine.RunConfig{MaxMemory: 1 << 20, Refill: endlessly}); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || tried != 5 {
		t.Fatalf("got %x, after %d tries", got, tried)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("result %d: got %x, want %x", i, got[i], want[i])
		}
	}
}

// Go outlives guests that call it where they have no stack left, and what such a call
// tells is the guest's end alone.
func TestCallAtTheEndOfTheStack(t *testing.T) {
	calls := 0
	work := func(_ any, m *engine.Memory, _ []uint64) error {
		calls++
		b, _ := m.In(0, 100)
		calls += deep(50, b)
		return nil
	}
	for _, size := range []string{"", "i64,i64,i64,i64,i64,i64,i64,i64"} {
		p := program(t, func(m *Module) {
			f := m.Import("m", "f", "()->()")
			again := m.Func("()->()", size, Call(f), Call(1))
			if again != 1 {
				t.Fatal(again)
			}
			m.Export("_start", again)
		}, engine.Func{Module: "m", Name: "f", Call: work, Try: work})
		calls = 0
		err := p.Run(engine.RunConfig{MaxMemory: 1 << 16, Refill: endlessly})
		if trap, ok := errors.AsType[*engine.Trap](err); !ok || trap.Reason != engine.StackExhausted {
			t.Errorf("got %v, want %s", err, engine.StackExhausted)
		}
		if calls < 1000 {
			t.Errorf("got %d calls inside each other", calls)
		}
	}
}

// deep takes some stack of Go's.
func deep(n int, b []byte) int {
	var room [64]byte
	if n == 0 {
		return copy(room[:], b) * 0
	}
	return deep(n-1, room[:])
}

// As many guests run as the browser has room for, and the others wait for a while: until
// one has ended, or they are given up. Then they fail with an error that says so. When all
// have ended there is room again.
func TestTooMany(t *testing.T) {
	const many, least = 150, 64
	stop := make(chan struct{})
	var running, crowded atomic.Int32
	wait := engine.Func{Module: "m", Name: "wait",
		Try: func(any, *engine.Memory, []uint64) error { return engine.ErrWait },
		Call: func(any, *engine.Memory, []uint64) error {
			running.Add(1)
			<-stop
			return nil
		}}
	p := program(t, func(m *Module) {
		m.Export("_start", m.Func("()->()", "", Call(m.Import("m", "wait", "()->()"))))
	}, wait)
	run := func() error { return p.Run(engine.RunConfig{MaxMemory: 1 << 16, Refill: endlessly}) }
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			switch err := run(); err {
			case nil:
			case engine.ErrTooMany:
				crowded.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	for deadline := time.Now().Add(time.Minute); running.Load()+crowded.Load() < many; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d run and %d were refused, of %d", running.Load(), crowded.Load(), many)
		}
	}
	full := running.Load()
	t.Logf("%d of %d run at once", full, many)
	if full < least {
		t.Errorf("%d run at once, want %d", full, least)
	}
	// From now on a guest waits. That the first is given up is known at once, and the
	// second runs when another has ended.
	unwanted, given := make(chan struct{}), make(chan error)
	go func() { // ends with unwanted
		_, err := p.(engine.Starter).Start(engine.RunConfig{MaxMemory: 1 << 16, Refill: endlessly}, unwanted)
		given <- err
	}()
	all.Go(func() {
		if err := run(); err != nil {
			t.Errorf("the one that waits: %v", err)
		}
	})
	begun := time.Now()
	close(unwanted)
	if err := <-given; err != engine.ErrTooMany || time.Since(begun) > 5*time.Second {
		t.Errorf("the one that is given up: got %v after %v", err, time.Since(begun))
	}
	stop <- struct{}{}
	for deadline := time.Now().Add(time.Minute); running.Load() == full; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("there is room, and the one that waits does not run")
		}
	}
	close(stop)
	all.Wait()
	for range 2 * least {
		if err := run(); err != nil {
			t.Fatalf("after all have ended: %v", err)
		}
	}
}

// A module that the page has metered and compiled elsewhere is known by the sum of the
// original and by what it was metered for. Nothing else is.
func TestCache(t *testing.T) {
	told := 0
	tell := engine.Func{Module: "m", Name: "tell", Params: "i", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
		told = int(stack[0])
		return nil
	}}
	var m Module
	f := m.Import("m", "tell", "(i32)->()")
	unknown := m.Import("m", "unknown", "(i32,i64,f64)->i32")
	m.Memory(1, 0)
	m.ExportMemory("memory")
	m.Export("_start", m.Func("()->()", "",
		I32(1), I64(2), Op(0x44, 0, 0, 0, 0, 0, 0, 0, 0), Call(unknown), Call(f)))
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{AskGrow: true})
	if err != nil {
		t.Fatal(err)
	}
	key := cache.Key{Module: sha256.Sum256(m.Bytes()), By: "some meter"}
	var kept hostwasm.Cache = page.Cache{}
	if _, err := kept.Get(key); err == nil {
		t.Error("before it is registered: got nil, want an error")
	}
	bytes := js.Global().Get("Uint8Array").New(len(metered))
	js.CopyBytesToJS(bytes, metered)
	module := js.Global().Get("WebAssembly").Get("Module").New(bytes)
	js.Global().Get("terrariumGuests").Call("register", hex.EncodeToString(key.Module[:]), key.By, module)
	for _, other := range []cache.Key{{Module: key.Module, By: "another"}, {By: key.By}} {
		if _, err := kept.Get(other); err == nil {
			t.Errorf("%v: got nil, want an error", other)
		}
	}
	dir, err := kept.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	e, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Load(t.Context(), dir, func(i engine.Import) (engine.Func, error) {
		if i.Name == "tell" {
			return tell, nil
		}
		return engine.Func{Module: i.Module, Name: i.Name, Results: "i", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
			stack[0] = 52
			return nil
		}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(engine.RunConfig{MaxMemory: 1 << 16, Refill: endlessly}); err != nil || told != 52 {
		t.Errorf("got %v, and %d, want 52", err, told)
	}
	if p, err := e.Load(t.Context(), dir+"x", engine.Among(nil)); err == nil {
		p.Close()
		t.Error("what Get has not returned: got a program, want an error")
	}
}

// While a guest computes others have their turn, and it ends soon after it is told to.
func TestTurns(t *testing.T) {
	p := program(t, func(m *Module) {
		m.Export("_start", m.Func("()->()", "", Loop(EmptyType, Br(0))))
	})
	var killed atomic.Bool
	mine := errors.New("killed")
	ended := make(chan error)
	const slice = 2 << 20
	for range 3 {
		go func() {
			ended <- p.Run(engine.RunConfig{MaxMemory: 1 << 16, Refill: func(int64) (int64, error) {
				if killed.Load() {
					return 0, mine
				}
				return slice, nil
			}})
		}()
	}
	for range 20 { // each needs the browser to have its turn
		time.Sleep(time.Millisecond)
	}
	killed.Store(true)
	start := time.Now()
	for range 3 {
		if err := <-ended; err != mine {
			t.Errorf("got %v, want %v", err, mine)
		}
	}
	t.Logf("three guests have ended after %v", time.Since(start))
}
