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
	var agent acp.Implementation
	if info, _ := m.result.Get("agentInfo"); agent.DecodeJSON(info) == nil {
		r.ClientInfo = &acp.Implementation{Name: agent.Name, Version: agent.Version}
		p.agentName.Store(agent.Name)
	}
	p.served.call(acp.MethodInitialize, r.AppendJSON)
}
