package core_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// TestTerms: what a command asks for beyond what all have is never given by saying nothing: not
// where nobody is asked, and not by an answer that has not heard of it.
func TestTerms(t *testing.T) {
	for name, test := range map[string]struct {
		ask      bool
		terms    string
		decision core.Decision
		starts   bool
	}{
		"granted":            {true, "without a sandbox", core.Decision{Allow: true, More: true}, true},
		"allowed only":       {true, "without a sandbox", core.Decision{Allow: true}, false},
		"denied":             {true, "without a sandbox", core.Decision{More: true}, false},
		"nobody asked":       {false, "without a sandbox", core.Decision{}, false},
		"nothing, allowed":   {true, "", core.Decision{Allow: true}, true},
		"nothing, not asked": {false, "", core.Decision{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var now time.Time
			var trace strings.Builder
			r := core.NewRegistry(core.Config{Ask: test.ask, Trace: func(line string) { trace.WriteString(line + "\n") }})
			id, err := r.Create(now, "s", core.Command{Command: "make", Bounds: &core.Bounds{Sandbox: "off", Net: []string{"example.org"}}})
			if err != nil {
				t.Fatal(err)
			}
			r.HandleResolved(now, id, core.Exec{Path: "/bin/make", Argv: []string{"make"}, Via: core.ViaFile, Terms: test.terms}, nil)
			r.HandleDecision(now, id, test.decision)
			started, failed := false, error(nil)
			for e, ok := r.NextEffect(); ok; e, ok = r.NextEffect() {
				started = started || e.Kind == core.Start
				if e.Kind == core.StartFailed {
					failed = e.Err
				}
			}
			_, denied := errors.AsType[*core.DeniedError](failed)
			if started != test.starts || denied == test.starts {
				t.Errorf("got started %t, %v, want %t", started, failed, test.starts)
			}
			if !strings.Contains(trace.String(), `ask-sandbox="off" ask-net="example.org"`) {
				t.Errorf("the trace does not have what was asked:\n%s", trace.String())
			}
		})
	}
}

func TestTooManyBounds(t *testing.T) {
	r := core.NewRegistry(core.Config{})
	_, err := r.Create(time.Time{}, "s", core.Command{Command: "make", Bounds: &core.Bounds{Net: make([]string, core.MaxBounds+1)}})
	if invalid, ok := errors.AsType[*core.InvalidError](err); !ok || invalid.Reason != "too_many" {
		t.Errorf("got %v, want too_many", err)
	}
}

// TestSessionIDBound: a session's name is kept with each of its terminals, so it is bounded. A name
// that is too long is an error, and is not written to the trace.
func TestSessionIDBound(t *testing.T) {
	var trace strings.Builder
	r := core.NewRegistry(core.Config{Trace: func(line string) { trace.WriteString(line) }})
	for _, c := range []struct {
		length int
		want   string
	}{
		{0, ""}, {core.MaxSessionID, ""}, {core.MaxSessionID + 1, "core: invalid sessionId: too_long"},
		{64 << 20, "core: invalid sessionId: too_long"},
	} {
		trace.Reset()
		_, err := r.Create(time.Time{}, core.SessionID(strings.Repeat("s", c.length)), core.Command{Command: "make"})
		if got := errorText(err); got != c.want {
			t.Errorf("%d bytes: got %q, want %q", c.length, got, c.want)
		}
		if trace.Len() > core.MaxSessionID+1000 {
			t.Errorf("%d bytes: the trace has %d", c.length, trace.Len())
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
