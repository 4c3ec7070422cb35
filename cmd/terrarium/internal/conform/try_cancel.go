package conform

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// pointCancelledTurn is the point that goes on after the turn was cancelled.
const pointCancelledTurn = 46

// cancelRequest says that nobody wants the answer of c any more.
func (t *trial) cancelRequest(c *call) {
	params := append([]byte(`{"requestId":`), c.id.String()...)
	if err := t.peer.notify("$/cancel_request", append(params, '}')); err != nil {
		t.fail("$/cancel_request can't be sent: %v", err)
	}
}

var cancelPoints = []Point{
	{
		Number: 30, Name: "cancelling a wait", Level: Should, Source: pageCancel,
		Want: "a wait_for_exit that is cancelled is answered with -32800; the command and others who wait don't notice",
		try: func(t *trial) {
			id := t.create(t.sh(ticking))
			other := t.start(acp.MethodWaitForExit, t.of(id))
			c := t.start(acp.MethodWaitForExit, t.of(id))
			t.cancelRequest(c)
			a, answered := t.answerWithin(c, t.patience)
			t.goesOn(id)
			t.kill(id)
			t.waitKilled(other)
			switch {
			case !answered:
				t.unclear("no answer within %v: the client does not know $/cancel_request, which it need not", t.patience)
			case a.failure == nil:
				t.fail("the wait is answered with %v, and the command was running", a)
			case a.failure.Code != jsonrpc.CodeRequestCancelled:
				t.fail("the wait is answered with %v, want %d", a, jsonrpc.CodeRequestCancelled)
			}
			t.note("%v", a)
		},
	},
	{
		Number: 31, Name: "cancelling a create", Level: Should, Source: pageCancel,
		Want: "a create that is cancelled is answered, with its result or with -32800; then nothing of it runs",
		try: func(t *trial) {
			p := t.pulse()
			c := t.start(acp.MethodCreate, t.sh(hold+beat, p.path))
			t.cancelRequest(c)
			a := t.answer(c)
			if a.failure == nil {
				t.created(a)
				t.note("it was created before it could be cancelled")
				return
			}
			if a.failure.Code != jsonrpc.CodeRequestCancelled {
				t.fail("%v, want a result or %d", a, jsonrpc.CodeRequestCancelled)
			}
			if p.await(true, time.Second, t.ctx.Done()) {
				t.ends(p, "its create was cancelled")
			}
			t.note("%v", a)
		},
	},
	{
		Number: pointCancelledTurn, Name: "cancelling the turn", Level: Must, Source: pageTurn, needs: needsNothing,
		Want: "session/cancel answers pending questions for permission with the outcome cancelled, and ends no terminal: that is the agent's to do",
		try: func(t *trial) {
			id := ""
			if t.client.about.Terminal {
				id = t.create(t.sh(ticking))
			}
			c := t.start("session/request_permission", fields{
				"sessionId": t.client.session,
				"toolCall": fields{
					"toolCallId": "conform-cancel", "kind": "other", "status": "pending",
					"title": "Point 46: cancel this turn now instead of an answer",
				},
				"options": []fields{
					{"optionId": "skip", "name": "Skip this point", "kind": "allow_once"},
					{"optionId": "leave", "name": "Leave it out", "kind": "reject_once"},
				},
			})
			t.answersCancel(c)
			if id != "" {
				t.goesOn(id)
				t.note("the terminal is still running")
			}
		},
	},
}

// answersCancel waits for the client to cancel the turn, and wants it to answer the
// question c for that.
func (t *trial) answersCancel(c *call) {
	if c.err != nil {
		t.lost(c, c.err)
	}
	late := time.NewTimer(max(t.patience, time.Minute/2))
	defer late.Stop()
	var came answer
	select {
	case came = <-c.answer:
		if came.err != nil {
			t.lost(c, came.err)
		}
		// A client may answer the question before it says that it cancels.
		select {
		case <-t.round.turn.Done():
		case <-time.After(time.Second):
		}
		if !t.round.cancelled() {
			t.peer.forget(c)
			t.skip("the question was answered, and the turn not cancelled: %v", came)
		}
	case <-late.C:
		t.peer.forget(c)
		t.skip("the turn was not cancelled")
	case <-t.round.turn.Done():
		if !t.round.cancelled() {
			t.skip("%v", context.Cause(t.round.turn))
		}
		came = t.answer(c)
	}
	outcome, _ := came.result.Get("outcome")
	if v, _ := outcome.Get("outcome"); !v.Is("cancelled") {
		t.fail("the turn was cancelled, and the question answered with %v, want the outcome cancelled", came)
	}
	t.note("session/request_permission: %v", came)
}
