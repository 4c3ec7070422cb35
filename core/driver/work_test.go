package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// hearing returns a Config whose news and work are noted down, in order, as "KIND SIGNAL REASON".
func hearing(notes *[]string) driver.Config {
	hear := func(e *core.Effect) {
		*notes = append(*notes, strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Signal, " ", e.Reason)))
	}
	return driver.Config{Host: host{}, OnNews: hear, OnWork: hear}
}

// Signals and the end of a terminal are heard in order with the news.
func TestOnWork(t *testing.T) {
	tests := []struct {
		name    string
		command core.Command
		end     func(d *driver.Driver, id core.TerminalID)
		want    []string
	}{
		{
			"released", core.Command{Command: "sleep"},
			func(d *driver.Driver, id core.TerminalID) { d.Terminal(id).Release() },
			[]string{"started", "signal SIGTERM released", "signal SIGCONT released", "exited", "close"},
		},
		{
			"killed, twice", core.Command{Command: "stubborn"},
			func(d *driver.Driver, id core.TerminalID) {
				d.Terminal(id).Kill()
				d.Terminal(id).Kill()
				time.Sleep(time.Minute)
			},
			[]string{"started", "signal SIGTERM killed", "signal SIGCONT killed", "signal SIGKILL killed", "exited", "close"},
		},
		{
			"timed out", core.Command{Command: "sleep", Timeout: time.Second},
			func(*driver.Driver, core.TerminalID) { time.Sleep(2 * time.Second) },
			[]string{"started", "signal SIGTERM timeout", "signal SIGCONT timeout", "exited", "close"},
		},
		{
			"by itself", core.Command{Command: "print", Args: []string{"x", "1"}},
			func(*driver.Driver, core.TerminalID) {},
			[]string{"started", "exited", "close"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			bubble(t, hearing(&got), func(t *testing.T, d *driver.Driver) {
				term, err := d.Create(t.Context(), "s", test.command)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				test.end(d, term.ID())
				synctest.Wait()
			})
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Who gets no terminal is heard of, and nothing else is.
func TestOnRefused(t *testing.T) {
	var mu sync.Mutex
	var got []string
	config := driver.Config{
		Host: host{}, Core: core.Config{MaxTerminals: 1},
		OnRefused: func(s core.SessionID, c *core.Command, err error) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprintf("%s: %q: %v", s, c.Command, err))
		},
	}
	bubble(t, config, func(t *testing.T, d *driver.Driver) {
		d.Create(t.Context(), "a", core.Command{Command: "unresolved"})
		d.Create(t.Context(), "a", core.Command{Command: "sleep"})
		d.Create(t.Context(), "b", core.Command{})
		d.Create(t.Context(), "b", core.Command{Command: "sleep"})
		d.Close()
		d.Create(t.Context(), "b", core.Command{Command: "sleep"})
	})
	want := []string{`b: "": core: invalid command: empty`, `b: "sleep": core: too many terminals: the limit is 1`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
