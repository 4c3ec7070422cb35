package hostnative_test

import (
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// TestForeground watches a shell through a session: who has its terminal, in
// which mode, and whether the shell waits for somebody to type.
func TestForeground(t *testing.T) {
	c := core.Command{Command: "bash", Args: []string{"--norc", "--noprofile"}}
	c.Env = []core.EnvVariable{{Name: "PS1", Value: "> "}, {Name: "INPUTRC", Value: "/dev/null"}}
	p := start(t, newHost(t, hostnative.Config{}), interactive(onPty(c)))
	w := watchOutput(p)
	tty := p.(interface {
		Raw() bool
		Foreground() bool
		Reading() (reading, known bool)
		Woken() (times uint64, known bool)
	})
	type state struct{ raw, foreground, reading bool }
	until := func(what string, want state) {
		t.Helper()
		var got state
		for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(time.Millisecond) {
			reading, known := tty.Reading()
			if !known {
				t.Skip("/proc does not tell what a process waits for")
			}
			got = state{tty.Raw(), tty.Foreground(), reading}
			if got == want {
				return
			}
		}
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
	say := func(line string) {
		t.Helper()
		if _, err := p.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	w.wait(t, "> ")
	prompt := state{raw: true, foreground: true, reading: true}
	until("at the prompt", prompt)
	asleep, known := tty.Woken()
	if again, _ := tty.Woken(); !known || again != asleep {
		t.Errorf("got woken %d times, and %d, known %v, of a shell that nobody types to", asleep, again, known)
	}
	// A child of bash loses ^C until it has become another program. The quotes
	// tell what it says from what was typed.
	say("sh -c 'echo job\"\"-1; exec sleep 1000'\n")
	w.wait(t, "job-1")
	if now, known := tty.Woken(); !known || now <= asleep {
		t.Errorf("got woken %d times, known %v, after a line was typed, want more than %d", now, known, asleep)
	}
	until("a job", state{})
	say("\x03")
	until("after the job", prompt)
	say("x=$(sh -c 'echo job\"\"-2 >&2; exec sleep 1000')\n")
	w.wait(t, "job-2")
	until("a substitution", state{foreground: true})
	say("\x03")
	until("after the substitution", prompt)
	say("read x\n")
	until("a builtin that reads", state{foreground: true, reading: true})
	say("\n")
	until("after the builtin", prompt)
	say("read x </dev/zero\n")
	until("a builtin that reads something else", state{foreground: true})
	say("\x03")
	until("after that", prompt)
	say("stty -icrnl; sleep 1000\n")
	until("a job in raw mode", state{raw: true})
}

// What has no terminal, or is gone, answers no.
func TestForegroundNone(t *testing.T) {
	for _, mode := range modes {
		p := start(t, newHost(t, hostnative.Config{}), mode.mode(line("sleep 1000")))
		tty := p.(interface {
			Raw() bool
			Foreground() bool
			Reading() (reading, known bool)
		})
		p.Close()
		reading, known := tty.Reading()
		if tty.Raw() || tty.Foreground() || reading || known {
			t.Errorf("%s: got raw %v, foreground %v, reading %v, %v after Close, want false",
				mode.name, tty.Raw(), tty.Foreground(), reading, known)
		}
	}
}
