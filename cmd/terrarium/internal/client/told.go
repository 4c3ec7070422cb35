package client

import (
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// told reads what a tool call's _meta says of a terminal that the agent has itself: many agents run commands
// by themselves, and only show them. No version of ACP has that; Zed began it.
//
//	terminal_info          {"terminal_id","cwd"}: there is one
//	terminal_output        {"terminal_id","data"}: it has written more
//	terminal_output_delta  the same, from other agents
//	terminal_exit          {"terminal_id","exit_code","signal"}
func (k *client) told(update jsonrpc.Value) {
	meta, _ := update.Get("_meta")
	if info, ok := meta.Get("terminal_info"); ok {
		if id := toldID(info); id != "" {
			title := textOf(update, "title")
			if input, _ := update.Get("rawInput"); textOf(input, "command") != "" {
				title = textOf(input, "command")
			}
			k.view.Show(Started{ID: id, Command: clip(title, maxText), Cwd: clip(textOf(info, "cwd"), maxTitle), Told: true})
		}
	}
	for _, key := range []string{"terminal_output", "terminal_output_delta"} {
		output, _ := meta.Get(key)
		if id, data := toldID(output), textOf(output, "data"); id != "" && data != "" {
			k.view.Show(Output{ID: id, Data: []byte(data), Told: true})
		}
	}
	if exit, ok := meta.Get("terminal_exit"); ok {
		if id := toldID(exit); id != "" {
			k.view.Show(Exited{ID: id, Status: toldStatus(exit), Told: true})
		}
	}
}

// toldID is the id of a terminal that the agent has. It is none that we have given.
func toldID(v jsonrpc.Value) string {
	id := textOf(v, "terminal_id")
	if id == "" || len(id) > maxID {
		return ""
	}
	return "agent:" + id
}

func toldStatus(v jsonrpc.Value) core.ExitStatus {
	if signal := textOf(v, "signal"); signal != "" {
		return core.ExitStatus{Signal: clip(signal, maxNameShow)}
	}
	code, _ := v.Get("exit_code")
	n, err := code.Int64()
	return core.ExitStatus{ExitCode: uint32(n), Unknown: err != nil}
}
