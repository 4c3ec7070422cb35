package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// put puts text into the input buffer, and returns its length.
func (i *instance) put(text string) int32 {
	copy(i.input(int32(len(text))), text)
	return int32(len(text))
}

// start opens a registry and starts a terminal in it.
func start(t testing.TB, i *instance) (registry int32, id string) {
	t.Helper()
	registry = i.newRegistry(i.put(`{` + seed + `,"outputByteLimit":65536,"liveBytes":4096}`))
	if registry <= 0 {
		t.Fatalf("got handle %d: %s", registry, i.result)
	}
	command := i.put(`{"command":"cat","interactive":true}`)
	must(t, i, i.create(registry, 0, 0, command))
	id = string(i.result)
	n := i.put(id + `{"path":"/bin/cat","argv":["cat"],"via":"file"}`)
	must(t, i, i.handleResolved(registry, 0, int32(len(id)), n-int32(len(id))))
	must(t, i, i.handleStart(registry, 0, int32(len(id)), 0))
	for i.nextEffect(registry) != nil {
	}
	return registry, id
}

func must(t testing.TB, i *instance, status int32) {
	t.Helper()
	if status != ok {
		t.Fatalf("got status %d: %s", status, i.result)
	}
}

// TestHotPathDoesNotAllocate also drains what comes of the output.
func TestHotPathDoesNotAllocate(t *testing.T) {
	i := new(instance)
	registry, id := start(t, i)
	n := i.put(id+string(make([]byte, 16<<10))) - int32(len(id))
	step := func() {
		i.handleOutput(registry, 0, int32(len(id)), n, 1)
		for i.nextEffect(registry) != nil {
		}
		i.deadline(registry)
	}
	for range 10 {
		step() // the buffers grow
	}
	if got := testing.AllocsPerRun(100, step); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func TestDeadline(t *testing.T) {
	i := new(instance)
	registry, id := start(t, i)
	n := i.put(id)
	if got := i.deadline(registry); got != noDeadline {
		t.Errorf("got deadline %d, want %d", got, noDeadline)
	}
	for _, c := range []struct{ now, want int64 }{
		{0, int64(5 * time.Second)},
		{math.MaxInt64, math.MaxInt64}, // what lies beyond can't be told
	} {
		i = new(instance)
		registry, id = start(t, i)
		i.put(id)
		must(t, i, i.kill(registry, c.now, n))
		if got := i.deadline(registry); got != c.want {
			t.Errorf("kill at %d: got deadline %d, want %d", c.now, got, c.want)
		}
	}
	if got := nanos(time.Time{}); got != 0 {
		t.Errorf("got %d for a time before 1970, want 0", got)
	}
}

// TestExplain has a status and a reason for every error that a call can end with.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int32
		want   string
	}{
		{errBadHandle, badHandle, `"reason":"bad_handle"`},
		{errBadLength, badArgument, `"reason":"length"`},
		{errBadTime, badArgument, `"param":"now"`},
		{errBadStream, badArgument, `"param":"stream"`},
		{errNoACP, noACP, `"reason":"no_acp"`},
		{errTooManyRegistries, limit, `"reason":"limit_registries"`},
		{&jsonrpc.SyntaxError{Reason: "too_deep"}, badJSON, `"reason":"too_deep"`},
		{&abi.Error{Param: "a.b", Reason: "type"}, badJSON, `"param":"a.b"`},
		{&core.InvalidError{Param: "cwd", Reason: "not_absolute", Value: "x"}, invalid, `"param":"cwd"`},
		{core.ErrUnknownTerminal, unknownTerminal, `"reason":"unknown_terminal"`},
		{core.ErrReleased, released, `"reason":"released"`},
		{core.ErrNotRunning, notRunning, `"reason":"not_running"`},
		{core.ErrInputClosed, inputClosed, `"reason":"input_closed"`},
		{core.ErrInputFull, inputFull, `"reason":"input_full"`},
		{errors.ErrUnsupported, unsupported, `"reason":"unsupported"`},
		{fmt.Errorf("x"), failed, `"reason":"failed"`},
	} {
		i := new(instance)
		if got := i.end(c.err); got != c.status {
			t.Errorf("%v: got status %d, want %d", c.err, got, c.status)
		}
		message, _ := json.Marshal(c.err.Error())
		if got := string(i.result); !json.Valid(i.result) || !strings.Contains(got, c.want) || !strings.Contains(got, string(message)) {
			t.Errorf("%v: got %s, want it to have %s", c.err, got, c.want)
		}
	}
}

// TestInputKeepsItsPlace shows what ABI.md promises of the input buffer.
func TestInputKeepsItsPlace(t *testing.T) {
	i := new(instance)
	first := i.input(100)
	copy(first, "what is there")
	i.closeAll(1, 0)
	if again := i.input(minInput); &again[0] != &first[0] {
		t.Error("got another buffer for what fits the first")
	}
	if got := string(i.in[:13]); got != "what is there" {
		t.Errorf("got %q in the buffer, want what was written", got)
	}
	i.input(maxInput)
	if i.input(10); cap(i.in) > maxSpare {
		t.Errorf("got %d bytes kept, want at most %d", cap(i.in), maxSpare)
	}
}
