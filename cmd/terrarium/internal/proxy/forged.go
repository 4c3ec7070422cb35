package proxy

import (
	"slices"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// doings are the members of a tool call's _meta that say what a terminal does. terminal_info, with
// which a tool call shows one, is not among them.
var doings = [...]string{metaOutput, metaOutputDelta, metaExit}

// unforged returns the line of an update of a tool call without what its _meta says of terminals
// that run here: those tell it themselves, and an agent could have them say anything. It returns
// nil if there is nothing of the kind.
func (d *display) unforged(line []byte, session string, update jsonrpc.Value) []byte {
	var splices []splice
	for name, meta := range update.Members() { // some readers take the first _meta, others the last
		if !name.Is("_meta") || meta.Kind() != jsonrpc.Object {
			continue
		}
		kept, forged := []byte{'{'}, false
		for name, told := range meta.Members() {
			if slices.ContainsFunc(doings[:], name.Is) && d.tellsOf(session, told) {
				forged = true
				continue
			}
			kept = append(append(jsonrpc.AppendComma(kept), name.Raw()...), ':')
			kept = append(kept, told.Raw()...)
		}
		if forged {
			splices = append(splices, replace(line, meta, append(kept, '}')))
		}
	}
	if len(splices) == 0 {
		return nil
	}
	return apply(line, splices)
}

// tellsOf reports whether what is told is about a terminal that runs here.
func (d *display) tellsOf(session string, told jsonrpc.Value) bool {
	if told.Kind() != jsonrpc.Object {
		return false
	}
	for name, v := range told.Members() {
		if !name.Is("terminal_id") {
			continue
		}
		if id, _ := v.Text(); d.runsHere(session, core.TerminalID(id)) {
			return true
		}
	}
	return false
}

// runsHere reports whether a terminal is one of our tools, or was served to the agent: in this
// session, or in any in which a tool call has shown it or it has written something.
func (d *display) runsHere(session string, id core.TerminalID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lent[id] != nil || d.terminals[id] != nil || d.driver.Issued(core.SessionID(session), id)
}
