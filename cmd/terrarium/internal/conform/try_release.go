package conform

import (
	"strconv"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

var releasePoints = []Point{
	{
		Number: 36, Name: "release ends the command", Level: Must, Source: pageTerminals,
		Want: "terminal/release ends a command that still runs; its result is an object",
		try: func(t *trial) {
			id, p := t.begin(beat)
			t.release(id)
			t.ends(p, "terminal/release")
		},
	},
	{
		Number: 37, Name: "a released id", Level: Must, Source: pageTerminals,
		Want: "after release, output, wait_for_exit and kill of that id are errors",
		try: func(t *trial) {
			id := t.create(t.sh("printf ok"))
			t.wait(id)
			t.release(id)
			for _, method := range []string{acp.MethodOutput, acp.MethodWaitForExit, acp.MethodKill} {
				t.refused(method, t.of(id), "a released id")
			}
		},
	},
	{
		Number: 38, Name: "who waits for what is released", Level: Practice, Source: pageTerminals,
		Want: "a wait_for_exit that is pending at release is answered, with a status or an error",
		try: func(t *trial) {
			id := t.create(t.sh("sleep 600"))
			waiting := t.start(acp.MethodWaitForExit, t.of(id))
			t.release(id)
			if _, ok := t.answerWithin(waiting, t.afterKill()); !ok {
				t.fail("no answer within %v of the release", t.afterKill())
			}
		},
	},
	{
		Number: 39, Name: "a second release", Level: Practice, Source: pageTerminals,
		Want: "a second release succeeds; the release of an id that never was is an error",
		try: func(t *trial) {
			id := t.create(t.sh("printf ok"))
			t.release(id)
			a := t.ask(acp.MethodRelease, t.of(id))
			t.refused(acp.MethodOutput, t.of("conform-never-was"), "an id that never was")
			unknown := t.ask(acp.MethodRelease, t.of("conform-never-was"))
			switch {
			case a.failure != nil:
				t.unclear("a second release is answered with %v: the protocol does not say", a)
			case unknown.failure == nil:
				t.unclear("the release of an id that never was succeeds: the protocol does not say")
			}
		},
	},
	{
		Number: 40, Name: "ids", Level: Must, Source: pageSchema,
		Want: "each terminal has an id of its own, which is never used again",
		try: func(t *trial) {
			seen := make(map[string]bool)
			numbers := 0
			for i := range 10 {
				id := t.create(t.sh("exit 0"))
				if seen[id] {
					t.fail("the id %q comes twice", cut(id))
				}
				seen[id] = true
				if _, err := strconv.Atoi(id); err == nil {
					numbers++
				}
				if i%2 == 0 {
					t.release(id)
				}
			}
			if numbers == len(seen) {
				t.note("ids are plain numbers, which anybody can guess")
			}
		},
	},
	{
		Number: 41, Name: "an id of another session", Level: Practice, Source: pageTerminals,
		Want: "an id is good with its own sessionId only",
		try: func(t *trial) {
			id := t.create(t.sh("sleep 600"))
			foreign := t.of(id).with("sessionId", "conform-another-session")
			for _, method := range []string{acp.MethodOutput, acp.MethodKill, acp.MethodRelease} {
				a := t.ask(method, foreign)
				if a.failure == nil && a.result.Kind() != jsonrpc.Absent {
					t.fail("%s of another session's terminal succeeds: %v", method, a)
				}
			}
			t.isRunning(id)
		},
	},
}
