//go:build linux || darwin

package worker

import (
	"bytes"
	"log/slog"
	"testing"
)

// TestLogger: what does not hold a worker, and what it was refused, is logged once for each, beside
// the callbacks.
func TestLogger(t *testing.T) {
	var logged bytes.Buffer
	told := 0
	h := &Host{config: Config{
		Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
		})),
		Unconfined: func([]Measure) { told++ },
		Refused:    func(string) { told++ },
	}}
	measures := []Measure{{Name: "landlock", Used: true}, {Name: "seccomp", Detail: "no"}}
	for range 2 {
		if err := h.confined(measures); err != nil {
			t.Error(err)
		}
		h.refusedCall("ptrace")
	}
	want := `level=WARN msg="sandbox not held as it should be" missing="` + Describe(Missing(measures)) + "\"\n" +
		"level=WARN msg=\"system call refused\" call=ptrace\n"
	if got := logged.String(); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if told != 2 {
		t.Errorf("callbacks were called %d times, want 2", told)
	}
	h.config.Logger = nil // as if nobody had set it
	h.refusedCall("bpf")
}
