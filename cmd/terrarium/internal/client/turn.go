package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// prompt asks the agent, and returns why its turn has ended.
func (k *client) prompt(ctx context.Context, methods []method, cancelled func()) (string, error) {
	session := k.about.Session
	k.turns.begin()
	c := k.call("session/prompt", func(dst []byte) []byte {
		dst = jsonrpc.AppendString(append(dst, `{"sessionId":`...), session)
		dst = append(dst, `,"prompt":[{"type":"text","text":`...)
		return append(jsonrpc.AppendString(dst, k.config.Prompt), "}]}"...)
	})
	done := make(chan struct{})
	defer close(done)
	go func() { // ends with done
		select {
		case <-k.config.Interrupt:
			cancelled()
			if k.config.OnCancel != nil {
				k.config.OnCancel()
			}
			k.agent.send(jsonrpc.AppendTail(append(jsonrpc.AppendString(
				append(jsonrpc.AppendNotificationHead(nil, "session/cancel"), `{"sessionId":`...), session), '}')))
		case <-done:
		}
	}()
	result, err := k.await(ctx, c)
	if err == nil && k.speaksDraft() && textOf(result, "stopReason") == "" { // the prompt was taken
		result, err = k.await(ctx, k.turns.end)
	}
	if e, ok := errors.AsType[*rpcError](err); ok && e.failure.Code == jsonrpc.CodeRequestCancelled && k.turn.Err() != nil {
		return Cancelled, nil
	}
	if err != nil {
		return "", k.answerError(err, methods)
	}
	stop := textOf(result, "stopReason")
	switch {
	case stop == "" && k.speaksDraft() && k.turn.Err() != nil: // the agent need not say why
		return Cancelled, nil
	case stop == "" && k.speaksDraft():
		return EndTurn, nil
	case stop == "":
		return "", k.fail("the agent ends its turn without a stop reason: report it to who makes the agent")
	case stop == "error":
		failure, _ := result.Get("error")
		return "", k.fail("its turn has failed: " + clip(cmp.Or(textOf(failure, "message"), "it does not say why"), maxMessage))
	}
	return stop, nil
}

// turns follows the agent's work in version 2, where the answer to session/prompt only says that
// the prompt was taken. The agent tells by state_update when it works, and when it does not any
// more.
type turns struct {
	end *call // answered with the state_update that ends our turn

	mu       sync.Mutex // guards the fields below
	prompted bool       // session/prompt is on its way
	begun    bool       // it has worked since
	over     bool
}

// begin says that the prompt is about to be sent: what was told before is of no turn of ours.
func (t *turns) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prompted = true
}

// note takes a state_update. An agent that is idle before it has worked tells where it stands,
// unless it says why it has stopped.
func (t *turns) note(update jsonrpc.Value) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.prompted || t.over {
		return
	}
	switch textOf(update, "state") {
	case "running", "requires_action":
		t.begun = true
	case "idle":
		if !t.begun && textOf(update, "stopReason") == "" {
			return
		}
		t.over = true
		result, _ := jsonrpc.Parse(bytes.Clone(update.Raw())) // it was parsed before
		t.end.answer <- answer{result: result}
	}
}
