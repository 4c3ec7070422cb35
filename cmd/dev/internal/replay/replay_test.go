package replay_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/replay"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const trace = `config kill-grace=5s
create "" command="sleep" arg="9"
< resolve t1 command="sleep" arg="9"
clock 1.5ms
resolved t1 path="/bin/sleep" argv="sleep" argv="9" via=args
< start t1 path="/bin/sleep" argv="sleep" argv="9" via=args
start t1
< started t1
output t1 1 "late\n"
clock 2s
kill t1
< signal t1 SIGTERM
< signal t1 SIGCONT
exit t1 signal=SIGTERM
output_end t1
< exited t1 signal=SIGTERM reason=killed
kill t2
< error "core: unknown terminal"
`

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := replay.Run(write(t, trace), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"            0s  create \"\" command=\"sleep\" arg=\"9\"\n",
		"       2.0015s  kill t1\n                < signal t1 SIGTERM\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant in it\n%s", &out, want)
		}
	}
	if got := out.String(); strings.Contains(got, "output_changed") {
		t.Errorf("got an effect that the trace is without:\n%s", got)
	}
}

func TestRunDiffers(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"other effect", "< signal t1 SIGTERM", "< signal t1 SIGINT", "line 12: got < signal t1 SIGTERM, want < signal t1 SIGINT"},
		{"effect gone", "clock 2s\n", "< close t1\nclock 2s\n", "line 10: got nothing, want < close t1"},
		{"new effect", "< signal t1 SIGCONT\n", "", "line 13: got < signal t1 SIGCONT before it, want nothing"},
		{"new at the end", "< error \"core: unknown terminal\"\n", "", "got < error \"core: unknown terminal\" before it, want nothing"},
		{"not a trace", "clock 2s", "clock soon", "line 10: time: invalid duration"},
		{"in an archive", "config", "Why it matters.\n-- script --\nbogus", "line 3: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := replay.Run(write(t, strings.Replace(trace, test.old, test.new, 1)), io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q in it", err, test.want)
			}
		})
	}
}

// TestRunScripts holds the core's own scripts to the same.
func TestRunScripts(t *testing.T) {
	files, _ := filepath.Glob("../../../../core/testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no scripts")
	}
	for _, file := range files {
		if err := replay.Run(file, io.Discard); err != nil {
			t.Error(err)
		}
	}
}

// TestRunDriver traces several real terminals at once. Everything that a
// trace may hold is in it, also what fails.
func TestRunDriver(t *testing.T) {
	host, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	defer host.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var lines strings.Builder
	d := driver.New(driver.Config{Host: host, Core: core.Config{
		KillGrace: 50 * time.Millisecond,
		Trace:     func(line string) { lines.WriteString(line + "\n") }, // under the driver's lock
	}})
	create := func(s core.SessionID, c core.Command) core.TerminalID {
		t.Helper()
		term, err := d.Create(ctx, s, c)
		if err != nil {
			t.Fatal(err)
		}
		return term.ID()
	}
	wait := func(id core.TerminalID) {
		t.Helper()
		if _, err := d.Terminal(id).Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(err error) {
		t.Helper()
		if err == nil {
			t.Fatal("got no error, want one")
		}
	}

	stubborn := create("a", core.Command{Command: `trap "" TERM; while :; do sleep 0.01; echo on; done`, Pty: true})
	reader := create("b", core.Command{Command: "cat", Interactive: true})
	quick := create("b", core.Command{
		Command: "printf '\\xff %s' \"$V\"; sleep 100 & exit 3",
		Env:     []core.EnvVariable{{Name: "V", Value: "a=b=c"}},
	})
	slow := create("c", core.Command{Command: "sleep", Args: []string{"100"}, Timeout: 500 * time.Millisecond})
	create("d", core.Command{Command: "sleep 100"})

	_, err = d.Create(ctx, "b", core.Command{Command: "no such program", Args: []string{"x"}})
	fails(err)
	_, err = d.Create(ctx, "b", core.Command{Command: "true", Env: []core.EnvVariable{{Name: "A=B", Value: "c"}}})
	fails(err)
	_, err = d.Create(ctx, "b", core.Command{Command: "true", Cwd: "relative"})
	fails(err)
	fails(d.Terminal("no such terminal").Kill())
	fails(d.Terminal(stubborn).Resize(0, 80))
	if err := d.Terminal(stubborn).Resize(10, 80); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Terminal(reader).Write([]byte("one\x00two\n\xff")); err != nil {
		t.Fatal(err)
	}
	if err := d.Terminal(reader).CloseInput(); err != nil {
		t.Fatal(err)
	}
	wait(reader)
	wait(quick)
	wait(slow)
	_, err = d.Terminal(quick).Write([]byte("x"))
	fails(err)
	if err := d.Terminal(stubborn).Kill(); err != nil {
		t.Fatal(err)
	}
	wait(stubborn)
	for range 2 {
		if err := d.Terminal(stubborn).Release(); err != nil {
			t.Fatal(err)
		}
	}
	fails(d.Terminal(stubborn).Kill())
	d.Close()

	file := write(t, lines.String())
	if err := replay.Run(file, io.Discard); err != nil {
		t.Errorf("%v\n%s", err, &lines)
	}
	for _, want := range []string{"SIGKILL", "reason=timeout", "close_session", "< error", "start_failed"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("got a trace without %s", want)
		}
	}
}
