package main

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/plugins"
)

// TestProcesses compares what scripts see of processes, and how they end by signals, with Debian's
// bash, procps and psmisc in a space of process numbers of its own, under every engine. Each file
// of the archive is named by a script, and has what it prints and its status.
//
//	go test ./plugins/box -run TestProcesses -record    # on Debian 12, as root
func TestProcesses(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 13 MB for each engine")
	}
	const path = "testdata/processes.txtar"
	cases, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *record {
		for i := range cases.Files {
			cmd := exec.Command("unshare", append([]string{"-pf", "--mount-proc", "bash"}, inner(cases.Files[i].Name)...)...)
			cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH")}
			if cases.Files[i].Data, err = cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v", cases.Files[i].Name, err)
			}
		}
		if err := os.WriteFile(path, txtar.Format(cases), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, on := range backends {
		t.Run(on.name, func(t *testing.T) {
			h := newSandboxOn(t, on)
			for _, c := range cases.Files {
				dir := t.TempDir()
				stdout, stderr, _ := runCommand(t, h, core.Command{Command: "bash", Args: inner(c.Name), Cwd: dir, Roots: []string{dir}})
				if got := stdout.String() + stderr.String(); got != string(c.Data) {
					t.Errorf("%s\ngot:\n%swant:\n%s", c.Name, got, c.Data)
				}
			}
		})
	}
}

// inner are arguments of a shell that runs a script in another, whose number is 2, and prints its
// status.
func inner(script string) []string {
	return []string{"-c", `exec 2>&1; bash -c "$1"; echo "[$?]"`, "x", script}
}

// TestFirstKilled ends the terminal by a signal to its first process.
func TestFirstKilled(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 13 MB for each engine")
	}
	for _, on := range backends {
		h := newSandboxOn(t, on)
		for _, test := range []struct{ line, out, signal string }{
			{"kill $$; echo no", "", "SIGTERM"},
			{"trap 'echo bye' EXIT; kill -HUP $$; echo no", "bye\n", "SIGHUP"},
			{"trap 'echo bye' EXIT; (kill -9 1); echo no", "", "SIGKILL"},
			{"bash -c 'kill 1; sleep 100'; echo no", "", "SIGTERM"},
			{"sleep 100 & pkill -x bash; echo no", "", "SIGTERM"},
			{"exec bash -c 'kill -QUIT $$'", "", "SIGQUIT"},
		} {
			stdout, stderr, exit := runCommand(t, h, core.Command{Command: "bash", Args: []string{"-c", test.line}})
			if exit.Status.Signal != test.signal || stdout.String() != test.out {
				t.Errorf("%s: %s: got %v, %q and %q, want %s and %q", on.name, test.line, exit.Status, stdout, stderr, test.signal, test.out)
			}
		}
	}
}

// TestModuleProcess sees a command of another module as what the shell started: the same number,
// its own arguments.
func TestModuleProcess(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 13 MB for each engine")
	}
	const script = `sleep 100 & ps -o pid,ppid,comm,args -p $!; pgrep sleep; kill -0 $! && kill $!; wait $!; echo $?
pgrep sleep || echo gone; sleep 100 | cat & pkill -KILL sleep; wait; sleep 100 & pkill -KILL sleep; wait $! 2>/dev/null; echo $?`
	const want = "    PID    PPID COMMAND         COMMAND\n      2       1 sleep           sleep 100\n2\n143\ngone\n137\n"
	for _, on := range backends {
		h := newSandboxBeside(t, on, map[string]*hostwasm.Module{"sleep": {Name: "other", Load: plugins.Modules()[0].Load}})
		stdout, stderr, _ := runCommand(t, h, core.Command{Command: "bash", Args: []string{"-c", script}})
		if stdout.String() != want {
			t.Errorf("%s: got\n%s%s, want\n%s", on.name, stdout, stderr, want)
		}
	}
}
