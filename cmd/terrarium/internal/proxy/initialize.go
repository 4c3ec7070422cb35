package proxy

import (
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Where in _meta agents tell what a terminal of their own has written, by what an editor says that
// it knows: https://github.com/zed-industries/zed/pull/40165, and codex-acp 2.6 and
// claude-agent-acp 0.101 for the second one.
const (
	metaOutput      = "terminal_output"
	metaOutputDelta = "terminal_output_delta"
	metaExit        = "terminal_exit"
)

// dialectOf returns how an editor that says such params is told of terminals in version 1, or nil
// if it knows none in _meta.
func dialectOf(params jsonrpc.Value) dialect {
	capabilities, _ := params.Get("clientCapabilities")
	meta, _ := capabilities.Get("_meta")
	for _, key := range []string{metaOutput, metaOutputDelta} {
		member, _ := meta.Get(key)
		if knows, _ := member.Bool(); knows {
			return metaDialect(key)
		}
	}
	return nil
}

// advertise returns the splices that make initialize say that the editor serves terminals, and
// knows those that agents tell of in _meta: where it does not, a display makes text of them. What
// the editor says of _meta's member itself stays, and all the rest.
func advertise(line []byte, params jsonrpc.Value) []splice {
	if params.Kind() != jsonrpc.Object {
		return nil
	}
	const known = `{"` + metaOutput + `":true}`
	capabilities, _ := params.Get("clientCapabilities")
	if capabilities.Kind() != jsonrpc.Object || isEmpty(capabilities) {
		return []splice{set(line, params, "clientCapabilities", []byte(`{"terminal":true,"_meta":`+known+`}`))}
	}
	splices := []splice{set(line, capabilities, "terminal", []byte("true"))}
	meta, _ := capabilities.Get("_meta")
	_, said := meta.Get(metaOutput)
	switch {
	case said || dialectOf(params) != nil:
		return splices
	case meta.Kind() == jsonrpc.Object:
		return append(splices, set(line, meta, metaOutput, []byte("true")))
	}
	return append(splices, set(line, capabilities, "_meta", []byte(known)))
}

// isEmpty reports whether object has no member.
func isEmpty(object jsonrpc.Value) bool {
	for range object.Members() {
		return false
	}
	return true
}

// note remembers a call of the editor that is told of if nobody answers it, or in another version.
func (p *proxy) note(m *message) {
	if m.method != acp.MethodInitialize || !m.named {
		return
	}
	p.calls.add(m.id, call{method: m.method})
	p.told.asked(p)
}

// initialized reads the agent's answer to initialize. From now on the editor can be asked: every
// ACP client answers session/request_permission.
func (p *proxy) initialized(m *message) {
	p.told.answered(p, m.result)
	if p.config.Pass {
		return
	}
	r := acp.InitializeRequest{
		ProtocolVersion:    acp.ProtocolVersion,
		ClientCapabilities: acp.ClientCapabilities{Terminal: true, Meta: []byte(`{"terrarium":{"requestPermission":true}}`)},
	}
	about, _ := m.result.Get("agentInfo")
	if version, _ := acp.AgreedVersion(m.result); version == acp.DraftVersion {
		r.ClientCapabilities.Meta = []byte(`{"terrarium":{"requestPermission":true,"requestPermissionVersion":2}}`)
		about, _ = m.result.Get("info")
		p.draft.Store(draftOf(m.result))
		p.served.display.initialized(draftDialect{})
	}
	var agent acp.Implementation
	if agent.DecodeJSON(about) == nil {
		r.ClientInfo = &acp.Implementation{Name: agent.Name, Version: agent.Version}
		p.agentName.Store(agent.Name)
	}
	p.served.call(acp.MethodInitialize, r.AppendJSON)
}

// A draft is what matters of version 2, if the editor and the agent have agreed on that. It has no
// terminals of the client: what an agent shows are its own, and go to the editor as they came.
// Those of our tools are shown as such.
type draft struct {
	stdio bool // the agent can be given MCP servers that it starts
}

func draftOf(result jsonrpc.Value) *draft {
	v, _ := result.Get("capabilities")
	for _, key := range []string{"session", "mcp", "stdio"} {
		v, _ = v.Get(key)
	}
	return &draft{stdio: v.Kind() == jsonrpc.Object}
}

// unserved answers a call of terminal/* by an agent of a version that has none.
func (p *proxy) unserved(m *message) {
	if m.named {
		p.toAgent.enqueue(jsonrpc.AppendError(nil, m.id, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "not_in_version_2")))
		p.toAgent.room()
	}
}
