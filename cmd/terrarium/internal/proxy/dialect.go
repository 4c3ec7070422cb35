package proxy

import (
	"encoding/base64"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A dialect tells an editor that knows terminals what one of them does. Editors that know none are
// shown text.
type dialect interface {
	// appendShow appends the lines that have a tool call show a terminal of our tools from now on.
	appendShow(lines [][]byte, call callID, c *creating, id core.TerminalID, t *lent) [][]byte
	// output returns the line that says what a terminal has written, and exit the one that says how
	// its command has ended. A tool call shows that terminal.
	output(call callID, id core.TerminalID, data []byte) []byte
	exit(call callID, id core.TerminalID, s core.ExitStatus) []byte
}

// A metaDialect has terminals in the _meta of tool calls, in version 1. It is the name of the
// member with output: metaOutput or metaOutputDelta.
type metaDialect string

func (m metaDialect) appendShow(lines [][]byte, call callID, c *creating, id core.TerminalID, _ *lent) [][]byte {
	return append(lines, call.update(func(dst []byte) []byte {
		if len(c.input) > 0 { // editors look for the terminal's command beside terminal_info
			dst = append(jsonrpc.AppendKey(dst, "rawInput"), c.input...)
		}
		dst = append(jsonrpc.AppendKey(dst, "_meta"), `{"terminal_info":{"terminal_id":`...)
		dst = append(jsonrpc.AppendString(dst, id), "}}"...)
		if c.large {
			return dst // what comes next of it embeds the terminal
		}
		return c.appendContent(dst, id)
	}))
}

func (m metaDialect) output(call callID, id core.TerminalID, data []byte) []byte {
	return call.update(func(dst []byte) []byte {
		dst = jsonrpc.AppendKey(append(jsonrpc.AppendKey(dst, "_meta"), '{'), string(m))
		dst = jsonrpc.AppendString(append(dst, `{"terminal_id":`...), id)
		dst = jsonrpc.AppendString(append(dst, `,"data":`...), data)
		return append(dst, "}}"...)
	})
}

func (m metaDialect) exit(call callID, id core.TerminalID, s core.ExitStatus) []byte {
	return call.update(func(dst []byte) []byte {
		dst = append(jsonrpc.AppendKey(dst, "_meta"), `{"`+metaExit+`":{"terminal_id":`...)
		return append(appendExit(jsonrpc.AppendString(dst, id), "exit_code", s), "}}"...)
	})
}

// draftDialect is that of version 2, where terminals have updates of their own.
//
// Source: TerminalUpdate and TerminalOutputChunk in schema/v2/schema.json of npm's
// @agentclientprotocol/sdk 2.4.0.
type draftDialect struct{}

func (draftDialect) appendShow(lines [][]byte, call callID, c *creating, id core.TerminalID, t *lent) [][]byte {
	lines = append(lines, notice(call.session, "terminal_update", func(dst []byte) []byte {
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "terminalId"), id)
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "command"), t.shown)
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "cwd"), t.cwd)
		if t.rows > 0 {
			dst = append(jsonrpc.AppendKey(dst, "size"), `{"rows":`+itoa(t.rows)+`,"cols":`+itoa(t.cols)+`}`...)
		}
		return dst
	}))
	if !c.large {
		return append(lines, call.update(func(dst []byte) []byte { return c.appendContent(dst, id) }))
	}
	// It is added to the content that there is.
	return append(lines, notice(call.session, "tool_call_content_chunk", func(dst []byte) []byte {
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "toolCallId"), call.id)
		return appendEmbedding(jsonrpc.AppendKey(dst, "content"), id)
	}))
}

func (draftDialect) output(call callID, id core.TerminalID, data []byte) []byte {
	return notice(call.session, "terminal_output_chunk", func(dst []byte) []byte {
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "terminalId"), id)
		dst = append(jsonrpc.AppendKey(dst, "data"), '"')
		return append(base64.StdEncoding.AppendEncode(dst, data), '"')
	})
}

func (draftDialect) exit(call callID, id core.TerminalID, s core.ExitStatus) []byte {
	return notice(call.session, "terminal_update", func(dst []byte) []byte {
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "terminalId"), id)
		dst = append(jsonrpc.AppendKey(dst, "exitStatus"), '{')
		return append(appendExit(dst, "exitCode", s), '}')
	})
}

// appendExit appends the members of an exit status. Those of one that is not known are null.
func appendExit(dst []byte, codeKey string, s core.ExitStatus) []byte {
	code, signal := "null", "null"
	switch {
	case s.Unknown:
	case s.Signal != "":
		signal = string(jsonrpc.AppendString(nil, s.Signal))
	default:
		code = itoa(int(s.ExitCode))
	}
	dst = append(jsonrpc.AppendKey(dst, codeKey), code...)
	return append(jsonrpc.AppendKey(dst, "signal"), signal...)
}

// update returns a notification about a tool call. appendMembers appends what it says of it.
func (c callID) update(appendMembers func(dst []byte) []byte) []byte {
	return notice(c.session, "tool_call_update", func(dst []byte) []byte {
		return appendMembers(jsonrpc.AppendString(jsonrpc.AppendKey(dst, "toolCallId"), c.id))
	})
}

// notice returns a session/update of a kind. appendMembers appends the rest of it.
func notice(session, kind string, appendMembers func(dst []byte) []byte) []byte {
	dst := append(jsonrpc.AppendNotificationHead(nil, methodUpdate), '{')
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "sessionId"), session)
	dst = append(jsonrpc.AppendKey(dst, "update"), '{')
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "sessionUpdate"), kind)
	return jsonrpc.AppendTail(append(appendMembers(dst), "}}"...))
}
