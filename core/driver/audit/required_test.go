//go:build linux || darwin

package audit_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
)

// TestRequired has the record fail at each step of a command: with Required it does not run, or no
// longer; without, it does, and one warning comes.
func TestRequired(t *testing.T) {
	for _, required := range []bool{true, false} {
		for _, step := range []string{"create", "allow", "start"} {
			name := filepath.Join(t.TempDir(), "record")
			log, err := audit.Open(name, audit.LogConfig{})
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			warnings, logged := 0, new(strings.Builder)
			r, err := audit.New(audit.Config{
				Log: log, Required: required, OnTrouble: func(error) { warnings++ }, Logger: slog.New(slog.NewTextHandler(logged, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			// No longer a file of ours.
			spoil := func(now string) {
				if now == step {
					os.Rename(name, name+".taken")
					os.Symlink(name+".taken", name)
				}
			}
			var started *process
			d := driver.New(r.Wrap(driver.Config{
				Host: host{onStart: func(p *process) {
					started = p
					spoil("start")
				}},
				Decide: func(context.Context, core.Exec) core.Decision {
					spoil("allow")
					return core.Decision{Allow: true}
				},
			}))
			spoil("create")
			_, err = d.Create(t.Context(), "s", core.Command{Command: "sleep"})
			refused, notRecorded := errors.AsType[*core.HostError](err)
			_, denied := errors.AsType[*core.DeniedError](err)
			switch {
			case !required && err != nil:
				t.Errorf("%s, not required: got %v", step, err)
			case required && step == "allow" && !(denied && strings.Contains(err.Error(), "a symbolic link")):
				t.Errorf("%s: got %v, want it denied", step, err)
			case required && step != "allow" && !(notRecorded && refused.Reason == "not_recorded"):
				t.Errorf("%s: got %v, want it not recorded", step, err)
			}
			if required && (started != nil) != (step == "start") {
				t.Errorf("%s: got it started: %v", step, started != nil)
			}
			if required && started != nil && !started.hasEnded() {
				t.Errorf("%s: it runs", step)
			}
			d.Close()
			if warnings != 1 {
				t.Errorf("%s: got %d warnings, want 1", step, warnings)
			}
			if text := logged.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "a symbolic link") {
				t.Errorf("%s: got the log %q, want one warning that says why", step, text)
			}
		}
	}
}
