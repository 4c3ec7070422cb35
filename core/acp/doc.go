// Package acp speaks the client side of the Agent Client Protocol, version 1,
// as far as terminals go: its types, and the dispatch of terminal/create,
// output, wait_for_exit, kill and release onto core.Registry.
//
// [Conn] is a machine like core.Registry: bytes from the peer and news from
// the registry go in, lines for the peer come out, nothing waits. A pending
// request is state, answered when its news comes.
//
// The types have the names and fields of the official schema. Each decodes
// itself from a jsonrpc.Value and appends itself to a line. A field's zero
// value is one that is absent; Meta is the raw JSON object of _meta, or nil.
//
// Sources: https://agentclientprotocol.com/protocol/terminals and the schema
// that npm ships as @agentclientprotocol/sdk 2.4.0, schema/v1/schema.json.
package acp
