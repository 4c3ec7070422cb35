// Package driver runs core's machine on a [Host]: it is the one place with
// goroutines, locks and a clock.
//
//	d := driver.New(driver.Config{Host: host})
//	term, err := d.Create(ctx, "", core.Command{Command: "make test"})
//	exit, err := term.Wait(ctx)
//	output, truncated := term.Output()
//	term.Release()
//	d.Close()
//
// A [Terminal] is a handle: who is given ids, as by a protocol, has [Driver.Terminal].
// [Terminal.Follow] reads the output while it comes, [Terminal.WaitForScreen] waits
// for what a program draws.
//
// A Driver has one lock for its registry, one for each terminal's output, and
// one timer. A terminal costs two goroutines, one that reads its output and
// one that waits for its exit. No lock is held while a Host or a callback is
// called.
//
// Who shows a terminal to a person sets [Config.OnOutput]: it gets every byte as
// the command writes it, of stream 1 for standard output and 2 for standard
// error; on a pty all is 1. Who is slow, and rather misses a part, sets
// core.Config.LiveBytes and takes OutputChanged from [Config.OnNews]: its UTF-8 is
// repaired, what was too much is counted, and no command waits. Over ACP neither
// is needed, for the peer asks.
package driver
