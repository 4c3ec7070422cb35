package keeper

import (
	"errors"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

func TestMessage(t *testing.T) {
	for _, m := range []message{
		{},
		{Kind: hello, Number: 5, Flag: true},
		{Kind: start, ID: 1 << 40, Text: "/bin/sh", List: []string{"sh", "", "-c"}, Env: []string{"A=1", "\xff="}},
		{Kind: exited, ID: 3, Exit: core.Exit{Reason: core.ReasonCPU,
			Status: core.ExitStatus{ExitCode: 1<<32 - 1, Signal: "SIG34", Unknown: true},
			Usage:  core.Usage{UserTime: time.Hour, SystemTime: -1, MaxRSS: 1 << 50},
		}},
	} {
		b := m.append(nil)
		got, err := parse(b)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, %v, want %+v", got, err, m)
		}
		for n := range b {
			if _, err := parse(b[:n]); err == nil {
				t.Errorf("%+v: the first %d of %d bytes are a message, too", m, n, len(b))
			}
		}
		if _, err := parse(append(b, 0)); err == nil {
			t.Errorf("%+v: a message with a byte too many", m)
		}
	}
}

func TestFault(t *testing.T) {
	for _, err := range []error{nil, syscall.ENOENT, errors.ErrUnsupported, errors.New("why")} {
		var m message
		m.setFault(err)
		got := m.fault()
		if (got == nil) != (err == nil) || err != nil && got.Error() != err.Error() {
			t.Errorf("got %v, want %v", got, err)
		}
		for _, known := range []error{syscall.ENOENT, errors.ErrUnsupported} {
			if errors.Is(got, known) != errors.Is(err, known) {
				t.Errorf("%v: errors.Is %v: got %t", err, known, !errors.Is(err, known))
			}
		}
	}
}

// A keeper in a sandbox may be in the hands of its commands. Whatever it says is a
// message or an error, and takes no more memory than it has sent.
func FuzzParse(f *testing.F) {
	f.Add(message{Kind: start, ID: 7, Text: "/bin/sh", List: []string{"sh"}, Env: []string{"A=1"}}.append(nil))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parse(b)
		if err != nil {
			return
		}
		if size := len(m.Text) + len(m.List) + len(m.Env); size > len(b) {
			t.Errorf("got %d bytes and strings of %d bytes", size, len(b))
		}
		again, err := parse(m.append(nil))
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("got %+v, %v, want %+v", again, err, m)
		}
	})
}
