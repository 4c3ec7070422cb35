// Package acp speaks the client side of the Agent Client Protocol, version 1,
// as far as terminals go: its types, and the dispatch of terminal/create,
// output, wait_for_exit, kill and release onto core.Registry.
//
// [Conn] is a machine like core.Registry: bytes from the peer and news from
// the registry go in, lines for the peer come out, nothing waits. A pending
// request is state, answered when its news comes.
//
// The requests of terminals and sessions are also methods of a Conn, for whoever is in the same
// program: [Conn.CreateTerminal] and what follows it. Package acpconn has them with the
// goroutines that wait.
//
// An [Asker] goes the other way: it asks the peer session/request_permission for
// whoever decides about a command. A [Feed] tells the peer what terminals do as they do it.
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
//	                 {"command","args","cwd"}, fit to be shown, as text and
//	                 title are. What exec and commands have is as it came.
//
// When nobody waits for an answer any more, because the create was cancelled say,
// we send $/cancel_request with the id of the question.
//
// # Subscriptions
//
// A connection with a [Feed] has two requests more, whose result is {}. The answer to initialize
// says so, by _meta.terrarium.subscribe, which has the words for "what".
//
//	_terrarium/subscribe    {"sessionId","terminalId"?,"what":["bytes","screen","status"]}
//	_terrarium/unsubscribe  {"sessionId","terminalId"?}
//
// Without a terminalId it is all terminals of the session, also those to come and those that were
// released, until the session is closed or the connection ends. Subscribing again to the same
// replaces what was subscribed to, and tells screen and status anew. What a terminal is told of is
// what there are subscriptions to, of it and of its session together, and each thing is told once.
// A connection has no terminals but its own, and at most 256 subscriptions.
//
// Then these notifications come. All have "sessionId" and "terminalId".
//
//	_terrarium/output  {"offset":0,"data":"aGkK","lost":4096}
//	_terrarium/screen  {"screen":{"rows","cols","cursor","alt","title","snapshot","lines":[{"y","runs"},…]}}
//	_terrarium/status  {"state":"running","exitStatus","rows","cols","exec"}
//
// Output is what the command writes, byte for byte, in base64: one piece may end inside a
// character. The offset is that of the first byte in all that the command has written. Where it is
// not the end of the piece before, bytes are missing, and "lost" says how many. It begins with what
// is written after the subscription; that of a session begins with the first byte of terminals that
// are created later.
//
// A screen is told as vt.Follower does it: a snapshot of all lines, and then those that have
// changed, at most every 30 ms. It is what is visible, without what has scrolled out. "screen" is
// null if there is none: a terminal has a screen if its session has a subscription to screens when
// it is created, or if the host gives it one, until it is released. A subscription to one
// terminal's screen that is not there is refused: "no_screen".
//
// A state is "running", "exited", "released" (as by terminal/release, but _terrarium/display has
// the output), or "gone". exitStatus is there once it has exited, exec with the first status, as in
// the result of terminal/create. "exited" comes after the output and the screen that the command
// left.
//
// Who reads slowly gets fewer notifications, not late ones: of a screen the changes since the last
// one, the last status, and the newest 256 KiB of output of each terminal (4 MiB of all), with a
// "lost". Neither commands nor other answers wait for that.
//
// # Links
//
// Who serves terminals that run elsewhere tells each peer when the connection to them breaks, when
// there is one again and nothing was lost, and when there will be none any more: its terminals have
// ended then, for the reason "lost". The reason here is for people.
//
//	_terrarium/link  {"place":"ssh:box","state":"reconnecting","reason":"…"}
//
// A state is "reconnecting", "resumed" or "lost". The first comes again, a few times at the most,
// for a new reason why there is no connection yet.
//
// The types have the names and fields of the official schema. Each decodes
// itself from a jsonrpc.Value and appends itself to a line; encoding/json takes
// the terminal requests and responses too, but no others. A field's zero
// value is one that is absent; Meta is the raw JSON object of _meta, or nil.
//
// Sources: https://agentclientprotocol.com/protocol/terminals and the schema
// that npm ships as @agentclientprotocol/sdk 2.4.0, schema/v1/schema.json; for
// version 2, schema/v2/schema.json there, of 2 November 2026.
package acp
