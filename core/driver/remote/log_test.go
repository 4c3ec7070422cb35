package remote

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Lines are what a driver.Logger was told.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(level, msg string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, strings.TrimSpace(level+" "+msg+" "+fmt.Sprintln(args...)))
}

// check compares what was told.
func (l *lines) check(t *testing.T, side string, want ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.all, want) {
		t.Errorf("the %s side: got\n%s\nwant\n%s", side, strings.Join(l.all, "\n"), strings.Join(want, "\n"))
	}
}

func (l *lines) Debug(msg string, args ...any) { l.add("debug", msg, args...) }
func (l *lines) Info(msg string, args ...any)  { l.add("info", msg, args...) }
func (l *lines) Warn(msg string, args ...any)  { l.add("warn", msg, args...) }

func TestLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var near, far lines
		_, l := pairWith(t, ServerConfig{Host: &fakeHost{}, Logger: &far}, Config{Logger: &near})
		synctest.Wait()
		l.cut(errDown)
		synctest.Wait() // or the far side may hear of the next connection first
		l.cut(nil)
		time.Sleep(time.Second)
		l.cut(errDown)
		time.Sleep(time.Hour)
		near.check(t, "near",
			"warn connection broken err io: read/write on closed pipe",
			"warn connecting failed err no route to host",
			"info connection resumed",
			"warn connection broken err io: read/write on closed pipe",
			"warn connecting failed err no route to host",
			"warn session lost err there was no connection for 10m0s: no route to host",
		)
		far.check(t, "far",
			"info session connected session 1",
			"warn connection broken session 1 err EOF",
			"info session connected session 1",
			"warn connection broken session 1 err EOF",
			"warn session ended session 1 err remote: there was no connection for as long as the lease",
		)
	})
}
