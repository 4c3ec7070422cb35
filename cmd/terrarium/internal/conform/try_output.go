package conform

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core/acp"
)

var outputPoints = []Point{
	{
		Number: 20, Name: "output never blocks", Level: Must, Source: pageTerminals,
		Want: "terminal/output answers at once: while the command runs, while somebody waits, and while another process holds the output",
		try: func(t *trial) {
			id := t.create(t.sh("printf ready; sleep 600"))
			t.output(id)
			t.start(acp.MethodWaitForExit, t.of(id))
			t.output(id)
			left := t.create(t.sh("sleep 600 & printf left; exit 0"))
			t.output(left)
			t.wait(left)
			t.output(left)
		},
	},
	{
		Number: 21, Name: "output repeats", Level: Must, Source: pageTerminals,
		Want: "each answer has all the output that is kept, and not only what is new",
		try: func(t *trial) {
			id := t.create(t.sh("printf one; sleep 0.3; printf two; sleep 600"))
			has := func(text string) func(output) bool {
				return func(o output) bool { return strings.Contains(o.text, text) }
			}
			t.waitForText(id, has("one"), `"one"`)
			t.waitForText(id, has("two"), `"two"`)
			for range 2 {
				if o := t.output(id); strings.TrimRight(o.text, "\r\n") != "onetwo" {
					t.fail("the output is %q, want all of it again: \"onetwo\"", cut(o.text))
				}
			}
		},
	},
	{
		Number: 22, Name: "exitStatus says that it has ended", Level: Must, Source: pageTerminals,
		Want: "exitStatus is absent or null while the command runs, and an object afterwards",
		try: func(t *trial) {
			id := t.create(t.sh("printf ready; sleep 600"))
			t.waitForText(id, func(o output) bool { return o.text != "" }, "\"ready\"")
			t.isRunning(id)
			if o, e := t.run(t.sh("exit 5")); o.exit == nil || o.exit.code == nil || *o.exit.code != 5 {
				t.fail("after wait_for_exit has said %v, the exitStatus of terminal/output is %v", e, o.exit)
			}
		},
	},
	{
		Number: 23, Name: "the end of the output", Level: Practice, Source: pageTerminals,
		Want: "once wait_for_exit is answered, terminal/output has all that the command has written",
		try: func(t *trial) {
			for range 5 {
				o, _ := t.run(t.sh("head -c 200000 /dev/zero | tr '\\0' x; printf END"))
				if got := strings.TrimRight(o.text, "\r\n"); !strings.HasSuffix(got, "xEND") {
					t.fail("the output ends with %q, and not with END", cut(got[max(0, len(got)-40):]))
				}
			}
		},
	},
}
