package proxy

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// offer gives a session that the editor opens terminals by MCP, and returns what comes into the
// line for that: one more entry of mcpServers.
func (p *proxy) offer(line []byte, params jsonrpc.Value, made *call) []splice {
	servers, _ := params.Get("mcpServers")
	switch servers.Kind() {
	case jsonrpc.Array, jsonrpc.Null, jsonrpc.Absent:
	default:
		p.warn("%s: its mcpServers are no list, so the agent has no terminals by MCP", made.method)
		return nil
	}
	draft := p.draft.Load()
	if draft != nil && !draft.stdio && p.config.Tools != nil {
		p.warn("%s: the agent does not say that it takes MCP servers that it starts, so it has no terminals by MCP", made.method)
		return nil
	}
	if made.grant = p.grant(made); made.grant == nil {
		return nil
	}
	entry := made.grant.program.appendServer(nil, freeName(servers), draft != nil)
	return []splice{add(line, params, []string{"mcpServers"}, entry)}
}

// appendServer appends p as an entry of mcpServers: an McpServerStdio of ACP, which names its type
// in version 2.
func (p *Program) appendServer(dst []byte, name string, typed bool) []byte {
	dst = append(dst, '{')
	if typed {
		dst = append(jsonrpc.AppendKey(dst, "type"), `"stdio"`...)
	}
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "name"), name)
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "command"), p.Command)
	dst = append(jsonrpc.AppendKey(dst, "args"), '[')
	for _, arg := range p.Args {
		dst = jsonrpc.AppendString(jsonrpc.AppendComma(dst), arg)
	}
	dst = append(jsonrpc.AppendKey(append(dst, ']'), "env"), '[')
	for _, v := range p.Env {
		e := acp.EnvVariable{Name: v.Name, Value: v.Value}
		dst = e.AppendJSON(jsonrpc.AppendComma(dst))
	}
	return append(dst, "]}"...)
}

// freeName returns a name that none of the editor's MCP servers has.
func freeName(servers jsonrpc.Value) string {
	taken := make(map[string]bool)
	for server := range servers.Items() {
		taken[textOf(server, "name")] = true
	}
	name := "terrarium"
	for n := 2; taken[name]; n++ {
		name = "terrarium" + itoa(n)
	}
	return name
}

// A shell is how an agent is told to do without its own tools for commands: they are added to the
// list that stands at path in the params of whatever opens a session. Without a path, its
// environment tells it.
type shell struct {
	path  []string
	tools []string
}

// claude reads the options of its SDK there (claude-agent-acp 0.101, acp-agent.js). It has no tool
// that is not there: to name one that this release lacks does nothing.
var claude = shell{
	path:  []string{"_meta", "claudeCode", "options", "disallowedTools"},
	tools: []string{"Bash", "BashOutput", "KillShell", "PowerShell", "Monitor"},
}

// codex reads its settings once, from its environment: see dropShell in cmd/terrarium (codex-acp
// 2.6).
var codex = shell{}

// shells are those that are known, by what the agent calls itself when it answers initialize.
var shells = map[string]shell{
	"@agentclientprotocol/claude-agent-acp": claude,
	"@zed-industries/claude-agent-acp":      claude,
	"@zed-industries/claude-code-acp":       claude,
	"@agentclientprotocol/codex-acp":        codex,
}

// dropShell returns what comes into a line that opens a session so that the agent has no shell of
// its own. It reports false if no way is known, and has told the editor.
func (p *proxy) dropShell(line []byte, m *message) (splices []splice, ok bool) {
	name, _ := p.agentName.Load().(string)
	s, ok := shells[name]
	if ok && s.path == nil {
		return nil, true
	}
	if ok && m.params.Kind() == jsonrpc.Object {
		var tools []byte
		for _, tool := range s.tools {
			tools = jsonrpc.AppendString(jsonrpc.AppendComma(tools), tool)
		}
		return []splice{add(line, m.params, s.path, tools)}, true
	}
	who := "an agent that does not say its name"
	if name != "" {
		who = fmt.Sprintf("the agent %q", clip(name, 80))
	}
	p.warn("--drop-shell: no way is known to have %s do without its own shell, so no session is opened: leave the flag out", who)
	if m.named {
		e := jsonrpc.NewError(jsonrpc.CodeInternalError, "no_way_to_drop_shell")
		e.Message = "terrarium knows no way to have this agent do without its own shell: leave --drop-shell out"
		p.toEditor.enqueue(jsonrpc.AppendError(nil, m.id, e))
	}
	return nil, false
}
