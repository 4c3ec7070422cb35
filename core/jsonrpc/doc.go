// Package jsonrpc reads and writes JSON-RPC 2.0 messages, one per line, as
// pure functions over bytes.
//
// A line comes out of [Lines], [ParseMessage] checks it and says what it is,
// and the Append functions write the answer:
//
//	for line, err := range lines.Split(p) {
//		…
//		m, bad := jsonrpc.ParseMessage(line)
//		…
//		out = jsonrpc.AppendResponse(out, m.ID, result)
//	}
//
// JSON is read without reflection and without a tree: [Parse] checks a whole
// text once, and a [Value] is the piece of that text which holds it. Getters
// read numbers and strings exactly or fail; nothing is guessed. JSON is written
// by appending: [AppendString] quotes, [AppendKey] sets the commas of an
// object.
//
//	dst = append(dst, '{')
//	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "output"), output)
//	dst = strconv.AppendBool(jsonrpc.AppendKey(dst, "truncated"), truncated)
//	dst = append(dst, '}')
//
// Everything read is taken as hostile: time is linear in the input, nesting and
// line length are bounded, and nothing panics. Values and lines alias the
// bytes they were read from, so those must not change while they are in use.
// Only [Lines] has state; it is not safe for concurrent use.
//
// The sources are RFC 8259 (JSON), https://www.jsonrpc.org/specification and
// https://agentclientprotocol.com/protocol/transports.
package jsonrpc
