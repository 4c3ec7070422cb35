package netproxy_test

import (
	"errors"
	"testing"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// A Dialer decides as a session does: a name that leads to loopback is not dialled.
func TestDialer(t *testing.T) {
	n := newInternet(t)
	n.name("to-loopback.example.org", "127.0.0.1")
	var told []egress.Reason
	dial := newProxy(t, n.config()).Dialer(list(t, "*.example.org"), func(r *egress.Refusal) { told = append(told, r.Reason) })
	for host, want := range map[string]egress.Reason{
		"to-loopback.example.org": egress.ReasonLoopback, "other.org": egress.ReasonNotListed, "127.0.0.1": egress.ReasonLoopback,
	} {
		told = nil
		_, err := dial(t.Context(), host, 80)
		if r, ok := errors.AsType[*egress.Refusal](err); !ok || r.Reason != want || len(told) != 1 || told[0] != want {
			t.Errorf("%s: got %v, told %v", host, err, told)
		}
	}
	if _, dialled := n.seen(); len(dialled) > 0 {
		t.Errorf("dialled %v", dialled)
	}
}
