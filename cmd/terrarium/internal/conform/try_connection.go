package conform

import (
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// terminalMethods are all that a client promises with terminal: true.
var terminalMethods = []string{acp.MethodCreate, acp.MethodOutput, acp.MethodWaitForExit, acp.MethodKill, acp.MethodRelease}

// maxPeerLine is how long a line may be for agents on the Go SDK, in bytes.
const maxPeerLine = 10 << 20

var connectionPoints = []Point{
	{
		Number: 1, Name: "terminal is advertised as it is", Level: Must, Source: pageInitialize, needs: needsNothing,
		Want: "clientCapabilities.terminal is true only if all five methods work, and absent or false otherwise",
		try: func(t *trial) {
			if t.client.asWrong != "" {
				t.fail("%s", t.client.asWrong)
			}
			if !t.client.about.Terminal {
				t.note("it does not advertise terminals, and so promises nothing")
				return
			}
			id := t.create(t.sh("printf ok"))
			t.wait(id)
			t.output(id)
			t.kill(id)
			t.release(id)
			t.note("all five methods answer")
		},
	},
	{
		Number: 2, Name: "methods that are not advertised", Level: Must, Source: pageInitialize, needs: needsNoTerminals,
		Want: "without terminal, each of the five methods is answered with -32601",
		try: func(t *trial) {
			for _, method := range terminalMethods {
				params := t.of("conform")
				if method == acp.MethodCreate {
					params = t.sh("printf ok")
				}
				a := t.ask(method, params)
				if a.failure == nil {
					id, _ := a.result.Get("terminalId")
					t.keep(id)
					t.fail("%s succeeds, and is not advertised: %v", method, a)
				}
				if a.failure.Code != jsonrpc.CodeMethodNotFound {
					t.fail("%s: %v, want %d", method, a, jsonrpc.CodeMethodNotFound)
				}
			}
		},
	},
	{
		Number: 48, Name: "unknown members", Level: Must, Source: pageExtensible,
		Want: "members that the client does not know are ignored, and _meta is accepted",
		try: func(t *trial) {
			extra := func(f fields) fields {
				return f.with("_meta", fields{"example.com/conform": []any{1, nil}}).with("timeoutMs", 1).with("future", fields{"a": []int{1}})
			}
			id := t.create(extra(t.sh("sleep 1; printf ok; exit 3")))
			if e := t.waited(t.ask(acp.MethodWaitForExit, extra(t.of(id)))); e.code == nil || *e.code != 3 {
				t.fail("wait_for_exit with a timeoutMs of 1, which ACP does not have: %v, want the exit code 3", e)
			}
			if o := t.readOutput(t.ask(acp.MethodOutput, extra(t.of(id)))); o.text != "ok" {
				t.fail("the output is %q, want \"ok\"", cut(o.text))
			}
			t.succeed(acp.MethodRelease, t.ask(acp.MethodRelease, extra(t.of(id))))
		},
	},
	{
		Number: 49, Name: "lines that agents can read", Level: Must, Source: pageTransports,
		Want: "every line is one JSON-RPC message in UTF-8, and below 10 MiB, which is all that agents on the Go SDK take",
		try: func(t *trial) {
			t.run(t.sh("printf ok"))
			t.wantNoFaults()
			// Each quote is two bytes in JSON: 12 MB.
			params := t.sh(`head -c 6000000 /dev/zero | tr '\0' '"'`)
			o, _ := t.run(params.with("outputByteLimit", 8_000_000))
			t.note("%d bytes of an output of 6,000,000 came back", len(o.text))
			t.wantNoFaults()
			if longest := t.peer.soFar().longest; longest > maxPeerLine {
				t.fail("a response has %d bytes, which agents on the Go SDK don't survive", longest)
			}
		},
	},
	{
		Number: 50, Name: "many terminals", Level: Practice,
		Want: "32 terminals at once, or an error for those that are too many; never a hang",
		try: func(t *trial) {
			calls := make([]*call, 32)
			for i := range calls {
				calls[i] = t.start(acp.MethodCreate, t.sh("sleep 60"))
			}
			refused := 0
			for _, c := range calls {
				a := t.answer(c)
				if a.failure != nil {
					refused++
					continue
				}
				t.created(a)
			}
			if refused == len(calls) {
				t.fail("all of %d terminals were refused", refused)
			}
			for _, id := range t.terminals {
				t.isRunning(id)
			}
			t.note("%d of %d are running, %d were refused", len(t.terminals), len(calls), refused)
		},
	},
}

// wantNoFaults wants all lines of the client to have been right until now.
func (t *trial) wantNoFaults() {
	for _, f := range t.peer.soFar().list {
		t.fail("the client has sent %s, %d times: %s", f.What, f.Count, f.Example)
	}
}
