// Package acp speaks the client side of the Agent Client Protocol, version 1,
// as far as terminals go: its types, and the dispatch of terminal/create,
// output, wait_for_exit, kill and release onto core.Registry.
//
// [Conn] is a machine like core.Registry: bytes from the peer and news from
// the registry go in, lines for the peer come out, nothing waits. A pending
// request is state, answered when its news comes.
//
// An [Asker] goes the other way: it asks the peer session/request_permission for
// whoever decides about a command.
//
// Version 2 of ACP is a draft, in which agents run commands themselves and only
// show their terminals. Of it this package has what a client needs to see them,
// [Displays], and the form of questions for an editor of that version.
//
// # Our members of _meta
//
// They stand under "terrarium". Those that the peer may send:
//
//	initialize       clientCapabilities: {"requestPermission":true}: it answers
//	                 session/request_permission. Only then it is asked. It must be
//	                 the side of the person: who answers is who permits. With
//	                 "requestPermissionVersion":2 it is asked as that version has it.
//	terminal/create  {"toolCallId":"…"}: the tool call that the command belongs
//	                 to, at most 1 KiB. A question about it names that.
//	                 {"sandbox":"off"|"workspace"|"strict","net":["HOST:PORT",…]}:
//	                 what the command asks for in place of what the host gives
//	                 to all, with at most 32 hosts. What is more than that, a
//	                 person has to grant; it is for this command only.
//	the outcome of session/request_permission
//	                 {"reason":"…"}: the person's words for the agent, at most
//	                 2 KiB of them.
//
// And those that we send:
//
//	the result of terminal/create
//	                 {"exec":{"path","argv","via","sandbox","more"}}: what was
//	                 executed, what it is confined to, if anything, and what
//	                 was granted to it alone. Without argv if that is longer
//	                 than 64 KiB.
//	exit status      {"reason":"…"}: why we ended the command: "timeout", "lost", ….
//	session/request_permission
//	                 {"requestId","terminalId","exec","commands"}: the id of the
//	                 terminal/create that waits for the answer, the terminal that
//	                 it will return, exec as above, and the simple commands of
//	                 the line, each an array of words. The tool call is the
//	                 terminal's id where none is known; its rawInput is
//	                 {"command","args","cwd"}, as they came: text and title are
//	                 fit to be shown, these are not.
//
// When nobody waits for an answer any more, because the create was cancelled say,
// we send $/cancel_request with the id of the question.
//
// The types have the names and fields of the official schema. Each decodes
// itself from a jsonrpc.Value and appends itself to a line. A field's zero
// value is one that is absent; Meta is the raw JSON object of _meta, or nil.
//
// Sources: https://agentclientprotocol.com/protocol/terminals and the schema
// that npm ships as @agentclientprotocol/sdk 2.4.0, schema/v1/schema.json; for
// version 2, schema/v2/schema.json there, of 2 November 2026.
package acp
