package proxy

import (
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// advertise returns the splices that make initialize say that the editor serves terminals. The rest
// of what it says stays as it is.
func advertise(line []byte, params jsonrpc.Value) []splice {
	if params.Kind() != jsonrpc.Object {
		return nil
	}
	capabilities, ok := params.Get("clientCapabilities")
	if !ok || capabilities.Kind() != jsonrpc.Object {
		return []splice{set(line, params, "clientCapabilities", []byte(`{"terminal":true}`))}
	}
	return []splice{set(line, capabilities, "terminal", []byte("true"))}
}

// note remembers a call of the editor that is told of if nobody answers it, or in another version.
func (p *proxy) note(m *message) {
	if m.method != acp.MethodInitialize || !m.named {
		return
	}
	p.calls.add(m.id, call{method: m.method})
	p.told.asked(p)
}

// initialized reads the agent's answer to initialize. From now on the editor can be asked: every ACP client
// answers session/request_permission.
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
	}
	var agent acp.Implementation
	if agent.DecodeJSON(about) == nil {
		r.ClientInfo = &acp.Implementation{Name: agent.Name, Version: agent.Version}
		p.agentName.Store(agent.Name)
	}
	p.served.call(acp.MethodInitialize, r.AppendJSON)
}

// A draft is what matters of version 2, if the editor and the agent have agreed on that. It has no terminals of the
// client: what an agent shows are its own, and go to the editor as they came.
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
