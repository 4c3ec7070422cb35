// Package remote has commands run somewhere else: on the far side of a byte stream, which may
// break and be made anew. [Host] is the near side, a driver.Host; [Server] is the far side, which
// starts the commands on any driver.Host. What is above a Host, such as screens, rules and output,
// is near: what has arrived is not lost.
//
//	h, err := remote.Connect(ctx, remote.Config{Dial: dial})
//	d := driver.New(driver.Config{Host: h})
//
// and on the far side
//
//	s := remote.NewServer(remote.ServerConfig{Host: native})
//	err := s.Serve(conn) // for each connection
//
// The stream is whatever carries bytes both ways, unchanged and in order: the standard input and
// output of ssh or docker exec, a socket. It has to keep secrets and tell who speaks, for this
// package does neither.
//
// The rest of this page is the protocol, version 1, for who writes another implementation.
//
// # Sessions and connections
//
// A session is what the near side has begun: its commands, and a link of frames in each direction.
// It has one connection at a time, or none. Who makes a new connection displaces the one before.
// On the new one both sides send again what the other has not taken, so each frame is carried out
// once: a start, a write or a signal too. A session that has had no connection for as long as its
// lease ends, and with it all its commands; one that nothing was asked of ends after a minute. A
// near side whose session is no more tells of its commands that they are lost, never of an exit
// code.
//
// # Values
//
// Numbers are varints in zigzag form, as encoding/binary.AppendVarint writes them: at most 10
// bytes. A uint64 is sent as the int64 of the same bits. A flag is a number, 0 or 1. Text and
// bytes are a number of bytes, and those; text may be any bytes. A list is a number of elements,
// and those: at most 262,144. Something optional, written "x?", is a flag, and x if it is 1.
// "rest" is all bytes to the end. Times are in nanoseconds. See package wire.
//
// # Hello
//
// The near side speaks first. A hello is the 8 bytes 89 54 52 4d 0d 0a 1a 0a, a length of two
// bytes, big endian, one byte that is 1 from the near side and 2 from the far side, and fields.
// The length is that of the byte and the fields, at most 1,025. Bytes behind the fields that one
// knows are of a later version and are ignored. A side waits two minutes for a hello.
//
//	near side  oldest, newest: number  versions of the protocol that it speaks
//	           session: bytes          16, random; who knows them may go on with the session
//	           attempt: number         counts the hellos of the session, from 1
//	           resume: flag            0 until the far side has answered one of them
//	           taken: number           the highest number of a frame that was taken; 0 for none
//	           lease: number           as it would like it; 0 if it does not mind
//	far side   version: number         the newest that both speak
//	           refusal: text           why there will be no session; empty if there is one
//	           forgotten: flag         with a refusal: it does not know the session any more
//	           taken: number
//	           lease: number           as it is
//
// A side speaks its version and the one before. The far side refuses an attempt that is not above
// all that it has seen, so a hello that was recorded is of no use. After a refusal it closes the
// connection. What begins otherwise than a hello is something else, such as a shell's message of
// the day: the near side quotes at most 512 bytes of it.
//
// # Frames
//
// After the hellos there are frames in both directions. Integers of the head are big endian.
//
//	bytes  what
//	4      length of what follows, 17 to 12,582,912
//	1      kind
//	8      number: of the side's frames, from 1; 0 if it is none of them
//	8      taken: the highest number that this side has taken
//	rest   body
//
// Frames come in the order of their numbers. One whose number was taken already is ignored. One
// that is further than the next breaks the connection, as does a cut: then the next connection
// goes on. A side keeps a frame until the other has said that it has taken it. A side says so with
// whatever it sends, and after 192 KiB or 64 frames at the latest. Kind 0 has no number and no
// body: it says only that, or that its sender is there. It is sent every 15 seconds; a connection
// on which nothing has come for 45 is closed.
//
//	kind  name        from  body
//	1     resolve     near  id, within: number; command
//	2     start       near  id, within, resolved, credit: number
//	3     cancel      near  id: number
//	4     write       near  terminal, call: number; data: rest
//	5     closeinput  near  id, terminal: number
//	6     resize      near  id, terminal, rows, columns: number
//	7     signal      near  id, terminal: number; name: text
//	8     close       near  id, terminal: number
//	9     resolved    far   id: number; failure?; found
//	10    started     far   id: number; failure?; credit: number
//	11    written     far   terminal, call, bytes: number; failure?
//	12    done        far   id: number; failure?
//	13    output      far   terminal, stream: number; data: rest
//	14    outputend   far   terminal: number; failure?
//	15    exited      far   terminal: number; exit; pending: number
//	16    passed      far   terminal: number
//	17    credit      both  terminal, bytes: number
//	18    end         both  text: text
//
//	command  command: text; args: list of text; env: list of (name, value: text); cwd: text;
//	         roots: list of text; bounds? (sandbox: text; net: list of text); session,
//	         traceparent: text; pty, onestream, interactive: flag; rows, columns: number
//	found    cwd, path, sandbox, terms: text; argv: list of text; via: text
//	exit     code: number; signal: text; unknown: flag; reason: text; user time, system time,
//	         maxrss, fuel: number
//	failure  text, reason, param, value, op: text, each at most 4,096 bytes; is: number
//
// The fields are those of core.Command, core.Exec and core.Exit. reason is that of a
// core.HostError, or with param that of a core.InvalidError; op that of an fs.PathError; is says
// what programs ask for: 1 unsupported, 2 not there, 3 not permitted, 4 canceled, 5 too late, 6
// closed, and 0 none of these.
//
// # Requests
//
// A resolve, start, closeinput, resize, signal or close has an id, above those of all requests
// before. Each is answered once: by a resolved, a started or a done. within is how much time it
// has, 0 for any. The argv of what was found is the command and its arguments, or ends with the
// command where via is "shell"; the near side takes no other. A start names the resolve whose
// command it starts; what was resolved starts one command, and of 1,024 that were not started the
// far side may forget the oldest. The id of a start is the terminal's. A cancel says that nobody
// waits for the answer: the far side gives up what it resolves or starts, and still answers. If it
// had started it all the same, the near side closes it.
//
// Of each terminal the near side has one resize or signal open at a time, one closeinput or call
// of write, and one close. A terminal's closeinput and writes are carried out in order, as are its
// resizes and signals. After the done of a close nothing more is said of a terminal.
//
// All resolves and starts that are not answered may take 16 MiB: each takes its body's bytes, and
// 64 KiB at least.
//
// # Input and output
//
// A call of Process.Write is numbered per terminal, from 1, and cut into writes of at most 64 KiB
// each. Whenever the command has taken some, written says how much of the call it has by now.
// After a failure the far side drops the rest of the call.
//
// Output of at most 64 KiB each is of stream 1 or 2, and an outputend follows it. An exited tells
// how the command has ended, whatever becomes of its output. pending is how many bytes of output
// it had written by then that were not sent yet, at the most. Unless it is 0, a passed says when
// they were, or an outputend.
//
// Whoever sends data has credit for it, per terminal. A frame with n bytes of data takes n + 64.
// The first credit is in start and started, more comes with credit. At no time may a side have
// more than 256 KiB of it. This implementation grants 16 KiB, and doubles that for who uses it up
// to its share, so that a link of 2,048 terminals, which is the most, holds no more than 64 MiB in
// each direction: what is not credited again need not be kept either.
//
// # End
//
// An end is the last of a session, and says why: the near side has closed it, or the far side its
// server, or somebody did not keep to the protocol. That is to send a frame that can't be, one
// that says what can't be, such as an exit that no command can have, to send more than there is
// credit for, or to have taken what was not sent. Then the session is over for both.
package remote
