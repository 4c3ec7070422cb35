package conform

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/core/acp"
)

// wantCode wants e to be an exit with a code, and no signal.
func (t *trial) wantCode(e *exit, code int64, of string) {
	if e.code == nil || *e.code != code || e.signal != nil {
		t.fail("%s: %v, want the exitCode %d and no signal", of, e, code)
	}
}

var exitPoints = []Point{
	{
		Number: 24, Name: "exit codes", Level: Must, Source: pageTerminals,
		Want: "a command that exits with n has the exitCode n, and the signal null",
		try: func(t *trial) {
			for _, code := range []int64{0, 1, 7, 255} {
				o, e := t.run(t.sh(fmt.Sprintf("exit %d", code)))
				t.wantCode(e, code, fmt.Sprintf("exit %d", code))
				if o.exit == nil {
					t.fail("terminal/output has no exitStatus after the end")
				}
				t.wantCode(o.exit, code, fmt.Sprintf("exit %d, in terminal/output", code))
			}
		},
	},
	{
		Number: 25, Name: "signals", Level: Should, Source: pageTerminals,
		Want: "a command that a signal ends has the exitCode null, and the signal's usual name, as SIGKILL",
		try: func(t *trial) {
			for _, name := range []string{"KILL", "TERM"} {
				_, e := t.run(t.sh("kill -" + name + " $$; sleep 60"))
				if e.signal == nil && e.code != nil && *e.code > 128 {
					t.unclear("a command that SIG%s ended has %v: what a shell in between says", name, e)
				}
				if e.code != nil || e.signal == nil || *e.signal != "SIG"+name {
					t.fail("a command that SIG%s ended has %v, want the exitCode null and the signal \"SIG%s\"", name, e, name)
				}
			}
		},
	},
	{
		Number: 26, Name: "a shell's 128 + n", Level: Practice,
		Want: "a command that exits with 137 has the exitCode 137: no signal is made of it",
		try: func(t *trial) {
			_, e := t.run(t.sh(`sh -c 'kill -KILL $$'; exit $?`))
			t.wantCode(e, 137, "a shell that exits with 137")
		},
	},
	{
		Number: 27, Name: "wait_for_exit", Level: Must, Source: pageTerminals,
		Want: "it answers when the command has ended, with exitCode and signal as members of the result; at once if that was before",
		try: func(t *trial) {
			id := t.create(t.sh("sleep 1; exit 3"))
			for _, of := range []string{"wait_for_exit", "wait_for_exit after the end"} {
				a := t.ask(acp.MethodWaitForExit, t.of(id))
				if _, nested := t.succeed(acp.MethodWaitForExit, a).Get("exitStatus"); nested {
					t.fail("the result has an exitStatus, want its members in its place: %v", a)
				}
				t.wantCode(t.waited(a), 3, of)
			}
		},
	},
	{
		Number: 28, Name: "many who wait", Level: Practice, Source: pageTerminals,
		Want: "all who wait for the same terminal get the same answer",
		try: func(t *trial) {
			id := t.create(t.sh("sleep 0.5; exit 4"))
			calls := make([]*call, 5)
			for i := range calls {
				calls[i] = t.start(acp.MethodWaitForExit, t.of(id))
			}
			for i, c := range calls {
				t.wantCode(t.waited(t.answer(c)), 4, fmt.Sprintf("waiter %d of %d", i+1, len(calls)))
			}
		},
	},
	{
		Number: 29, Name: "who waits blocks nobody", Level: Must, Source: pageTerminals,
		Want: "while wait_for_exit is pending, every other request is answered",
		try: func(t *trial) {
			id := t.create(t.sh("sleep 600"))
			waiting := t.start(acp.MethodWaitForExit, t.of(id))
			t.output(id)
			other := t.create(t.sh("exit 0"))
			t.wait(other)
			t.release(other)
			t.kill(id)
			t.waitKilled(waiting)
		},
	},
}
