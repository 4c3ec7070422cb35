package client

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const (
	// maxTold is how many terminals of the agent's own are known at a time.
	maxTold = 64
	// maxRows and maxCols bound their size: nobody sees more of it, and a screen takes memory.
	maxRows, maxCols = 200, 500
	// toldID begins the ids that Views have of them, so that none is taken for one that runs here.
	toldID = "agent:"
)

// told is the terminals that the agent has itself: many agents run commands by themselves, and only
// show them.
type told struct {
	client *client

	mu       sync.Mutex // guards the fields below
	displays *acp.Displays
	begun    map[*acp.Display]string // the command of those that were shown
	title    string                  // of the tool call that the update at hand is about, if any
	quiet    chan struct{}           // if set, closed when none is left that the agent can end
	left     bool                    // no more is shown of them
}

func (k *client) newTold() *told {
	t := &told{client: k, begun: make(map[*acp.Display]string)}
	t.displays = acp.NewDisplays(maxTold, t.changed)
	return t
}

// update takes the params of a session/update. call, if not nil, is the tool call that it is about.
func (t *told) update(params jsonrpc.Value, call *Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left {
		return
	}
	t.title = ""
	if call != nil {
		t.title = call.Title
	}
	t.displays.Update(params)
	if t.quiet != nil && len(t.cancellable()) == 0 {
		close(t.quiet)
		t.quiet = nil
	}
}

// changed shows what has become of one. Of some the agent tells first that they are there, and then
// what they run: they are shown as soon as there is something to show. What one writes after its
// end is shown with what there is to know of it.
func (t *told) changed(c acp.DisplayChange) {
	exited := Exited{ID: toldID + c.ID, Status: c.Status, Told: true}
	switch c.Kind {
	case acp.DisplayOpened, acp.DisplayDescribed, acp.DisplayResumed:
		if !c.Ended && (c.Command+t.title != "" || t.isShown(c.Display)) {
			t.start(c.Display)
		}
	case acp.DisplayWritten, acp.DisplayReplaced:
		if c.Ended || !t.isShown(c.Display) {
			t.start(c.Display)
		}
		t.client.view.Show(Output{ID: toldID + c.ID, Data: c.Data, Anew: c.Kind == acp.DisplayReplaced, Told: true})
		if c.Ended {
			t.client.view.Show(exited)
		}
	case acp.DisplayEnded:
		if !t.isShown(c.Display) {
			t.start(c.Display)
		}
		t.client.view.Show(exited)
	case acp.DisplayForgotten:
		delete(t.begun, c.Display)
	}
}

func (t *told) isShown(d *acp.Display) bool { return t.begun[d] != "" }

func (t *told) start(d *acp.Display) {
	command := cmp.Or(d.Command, t.title, t.begun[d], "(the agent does not say what)")
	t.begun[d] = command
	t.client.view.Show(Started{
		ID: toldID + d.ID, Command: command, Cwd: d.Cwd,
		Rows: min(d.Rows, maxRows), Cols: min(d.Cols, maxCols), Interactive: d.Rows > 0, Told: true,
	})
}

// cancellable returns those that run and that the agent takes terminal/cancel for. t.mu is held.
func (t *told) cancellable() (list []*acp.Display) {
	for _, d := range t.displays.Running() {
		if d.Cancel {
			list = append(list, d)
		}
	}
	return list
}

// end has the agent end what still runs of them, where it says that it can, and waits for a moment:
// the agent ends when we do, and would leave it behind.
func (t *told) end(ctx context.Context) {
	t.mu.Lock()
	list := t.cancellable()
	quiet := make(chan struct{})
	if len(list) > 0 {
		t.quiet = quiet
	}
	for _, d := range list {
		t.client.call("terminal/cancel", func(dst []byte) []byte {
			dst = jsonrpc.AppendString(append(dst, `{"sessionId":`...), d.Session)
			return append(jsonrpc.AppendString(append(dst, `,"terminalId":`...), d.ID), '}')
		})
	}
	t.mu.Unlock()
	if len(list) == 0 {
		return
	}
	late := time.NewTimer(leaveGrace)
	defer late.Stop()
	select {
	case <-quiet:
	case <-late.C:
	case <-t.client.agent.gone:
	case <-ctx.Done():
	}
}

// leave shows that no more will be heard of those that still run.
func (t *told) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = true
	for _, d := range t.displays.Running() {
		if !t.isShown(d) {
			continue
		}
		t.client.view.Show(Exited{ID: toldID + d.ID, Status: core.ExitStatus{Unknown: true}, Told: true})
	}
}
