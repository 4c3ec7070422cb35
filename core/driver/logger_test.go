package driver_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// records keeps what is logged, each as "LEVEL message key=value …", sorted by key.
type records struct {
	mu   sync.Mutex
	list []string
}

func (r *records) Enabled(context.Context, slog.Level) bool { return true }
func (r *records) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *records) WithGroup(string) slog.Handler            { return r }

func (r *records) Handle(_ context.Context, record slog.Record) error {
	var attrs []string
	record.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a.String())
		return true
	})
	slices.Sort(attrs)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, fmt.Sprintf("%v %s %s", record.Level, record.Message, strings.Join(attrs, " ")))
	return nil
}

// TestLogger: each event is logged once, with the documented keys, and with no argument, variable,
// input or output of a command.
func TestLogger(t *testing.T) {
	const secret = "hunter2"
	logged := new(records)
	d := driver.New(driver.Config{
		Host: faulty{}, Logger: slog.New(logged), Core: core.Config{MaxSessionTerminals: 1},
	})
	begin := func(name string, args ...string) *driver.Terminal {
		t.Helper()
		term, err := d.Create(t.Context(), "s", core.Command{
			Command: name, Args: args, Interactive: true, Env: []core.EnvVariable{{Name: "TOKEN", Value: secret}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return term
	}
	end := func(term *driver.Terminal) {
		t.Helper()
		if _, err := term.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	first := begin("echo", secret)
	if _, err := first.Write([]byte(secret)); err != nil {
		t.Fatal(err)
	}
	var limit *core.LimitError
	if _, err := d.Create(t.Context(), "s", core.Command{Command: secret}); !errors.As(err, &limit) {
		t.Fatalf("got %v, want a LimitError", err)
	}
	if err := first.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.CloseInput(); err != nil {
		t.Fatal(err)
	}
	end(first)
	d.CloseAll()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	d = driver.New(driver.Config{Host: faulty{}, Logger: slog.New(logged)})
	second := begin("sleep")
	if err := second.KillNow(); err != nil {
		t.Fatal(err)
	}
	end(second)
	if _, err := d.Create(t.Context(), "s", core.Command{Command: "unstartable"}); err == nil {
		t.Fatal("unstartable has started")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	ids := strings.NewReplacer(string(first.ID()), "t1", string(second.ID()), "t2")
	got := ids.Replace(strings.Join(logged.list, "\n"))
	if strings.Contains(got, secret) {
		t.Errorf("the log has a secret:\n%s", got)
	}
	for _, want := range []string{
		`INFO command started command=/echo session=s terminal=t1`,
		`WARN command refused err=core: too many session_terminals: the limit is 1 session=s`,
		`INFO command ended command=/echo exit=exit 0 session=s terminal=t1`,
		`WARN process not freed err=no such process session=s terminal=t1`,
		`INFO command started command=/sleep session=s terminal=t2`,
		`DEBUG signal sent command=/sleep session=s signal=SIGKILL terminal=t2`,
		`INFO command ended command=/sleep exit=SIGKILL reason=killed session=s terminal=t2`,
		`WARN process not freed err=no such process session=s terminal=t2`,
	} {
		if n := strings.Count("\n"+got+"\n", "\n"+want+"\n"); n != 1 {
			t.Errorf("%q is logged %d times, want once", want, n)
		}
	}
	if n := strings.Count(got, "WARN command did not start command=/unstartable err=no more processes session=s"); n != 1 {
		t.Errorf("the failed start is logged %d times, want once", n)
	}
	if n := len(logged.list); n != 9 {
		t.Errorf("got %d lines, want 9:\n%s", n, got)
	}
}

// faulty is a host whose processes can't be freed without an error.
type faulty struct{ host }

func (f faulty) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	p, err := f.host.Start(ctx, e)
	if err != nil {
		return nil, err
	}
	return unfreed{p}, nil
}

type unfreed struct{ driver.Process }

func (p unfreed) Close() error { return errors.Join(p.Process.Close(), errors.New("no such process")) }

// TestNoLogger: a *slog.Logger that nobody has set is silent, as no Logger is.
func TestNoLogger(t *testing.T) {
	for _, l := range []driver.Logger{nil, (*slog.Logger)(nil)} {
		d := driver.New(driver.Config{Host: host{}, Logger: l})
		term, err := d.Create(t.Context(), "", core.Command{Command: "print", Args: []string{"x", "1"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := term.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
