package conform

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core/acp"
)

// pointConnectionEnds is the point whose verdict comes after the connection.
const pointConnectionEnds = 47

var killPoints = []Point{
	{
		Number: 32, Name: "kill keeps the terminal", Level: Must, Source: pageTerminals,
		Want: "terminal/kill ends the command; its output and its status can still be asked for",
		try: func(t *trial) {
			id := t.create(t.sh("printf ready; sleep 600"))
			t.waitForText(id, func(o output) bool { return strings.Contains(o.text, "ready") }, "\"ready\"")
			t.kill(id)
			t.waitKilled(t.start(acp.MethodWaitForExit, t.of(id)))
			if o := t.output(id); !strings.Contains(o.text, "ready") || o.exit == nil {
				t.fail("after the kill the output is %q, its exitStatus %v", cut(o.text), o.exit)
			}
		},
	},
	{
		Number: 33, Name: "kill after the end", Level: Practice, Source: pageTerminals,
		Want: "killing a command that has ended succeeds, and changes nothing",
		try: func(t *trial) {
			id := t.create(t.sh("exit 6"))
			t.wait(id)
			t.kill(id)
			t.kill(id)
			t.wantCode(t.wait(id), 6, "after two kills")
		},
	},
	{
		Number: 34, Name: "kill reaches everything", Level: Practice, Source: pageTerminals,
		Want: "terminal/kill ends a command that ignores SIGTERM, and all that it has started",
		try: func(t *trial) {
			id, p := t.begin(`trap '' TERM; (` + beat + `) & printf ready; ` + beat)
			t.waitForText(id, func(o output) bool { return strings.Contains(o.text, "ready") }, "\"ready\"")
			waiting := t.start(acp.MethodWaitForExit, t.of(id))
			t.kill(id)
			t.waitKilled(waiting)
			t.ends(p, "terminal/kill")
			t.answers("a kill")
		},
	},
	{
		Number: 35, Name: "who waits for what is killed", Level: Must, Source: pageTerminals,
		Want: "a pending wait_for_exit is answered with how the command really ended",
		try: func(t *trial) {
			id := t.create(t.sh("printf ready; exec sleep 600"))
			t.waitForText(id, func(o output) bool { return strings.Contains(o.text, "ready") }, "\"ready\"")
			waiting := t.start(acp.MethodWaitForExit, t.of(id))
			t.kill(id)
			e := t.waitKilled(waiting)
			if e.code == nil && e.signal == nil || e.code != nil && *e.code == 0 {
				t.fail("a command that was killed has %v", e)
			}
		},
	},
	{
		Number: pointConnectionEnds, Name: "the end of the connection", Level: Should, Source: pageTerminals,
		Want: "when the agent or its connection ends, so do its commands",
		try: func(t *trial) {
			id, p := t.begin(beat)
			t.leave(id, p)
			t.skip("the connection has not ended yet, or the client has ended us with it")
		},
	},
}
