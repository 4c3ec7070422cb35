// Package conform is an ACP agent that tries the client which starts it: does
// what the client's terminal/* methods do agree with the protocol, and with what
// agents rely on?
//
// [Serve] answers initialize and session/new. At session/prompt it tries one
// [Point] after the other, and says each [Result] in the conversation. A point has
// a bounded time, and none stops the others: a client that hangs, dies or answers
// garbage is a result as well.
//
// Everything the client sends is hostile. Lines are bounded, nothing is kept that
// grows with what comes, and what is quoted in a [Report] is cut and made printable.
//
// The protocol is https://agentclientprotocol.com, version 1.
package conform
