package hostwasm_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// Where commands are deterministic they learn of no trace: its ids are other ones every time.
func TestTraceparentDeterministic(t *testing.T) { everywhere(t, testTraceparentDeterministic) }

func testTraceparentDeterministic(t *testing.T, on place) {
	h := on.host(t, hostwasm.Config{Deterministic: true})
	c := command("getenv", "TRACEPARENT")
	c.Traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	if got := run(t, h, c); got.stdout != "\n" {
		t.Errorf("got %q, want nothing", got.stdout)
	}
}
