package main

import (
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

const (
	// maxInput is the largest input buffer that is lent, in bytes, and the
	// largest file that can be read or written at once.
	maxInput = 128 << 20
	// minInput is the smallest, so that a page that asks once and for little
	// need not ask again.
	minInput = 64 << 10
	// maxSpare is the largest buffer that is kept once a call needs less.
	maxSpare = 1 << 20
)

// An instance is what one page has of us. Its methods are the exports: ABI.md says
// what they do. They are called one at a time, and lengths and numbers are
// whatever the page passed.
type instance struct {
	page    page
	engine  func() (engine.Engine, hostwasm.Cache, error)
	await   vfs.Wait // see newSandbox
	in      []byte   // the input buffer, as long as was asked for
	result  []byte   // of the last call
	sandbox *sandbox
	closed  bool
}

// input lends a buffer of n bytes, which keeps its place until the next call of
// input. It returns nil if n is out of range.
func (i *instance) input(n int32) []byte {
	if n < 0 || n > maxInput {
		return nil
	}
	size := max(int(n), minInput)
	if size > cap(i.in) || cap(i.in) > maxSpare && size <= maxSpare {
		i.in = make([]byte, size)
	}
	i.in = i.in[:n]
	return i.in[:n:cap(i.in)]
}

// begin ends the life of what the call before returned, and takes first and rest
// from the beginning of the input buffer. It returns what the export is to
// return, if something is wrong.
func (i *instance) begin(first, rest int32) (name string, p []byte, status int32) {
	if i.closed {
		return "", nil, i.fail(errClosed)
	}
	return i.ending(first, rest)
}

// ending is begin for a call that is needed while the sandbox is closed, too.
func (i *instance) ending(first, rest int32) (name string, p []byte, status int32) {
	if cap(i.result) > maxSpare {
		i.result = nil
	}
	i.result = i.result[:0]
	switch {
	case i.sandbox == nil:
		return "", nil, i.fail(errNotConfigured)
	case first < 0 || rest < 0 || int(first)+int(rest) > len(i.in):
		return "", nil, i.fail(errBadLength)
	}
	end := int(first) + int(rest)
	return string(i.in[:first]), i.in[first:end:end], ok
}

// end returns the status of a call whose error is err, and makes its details
// the result.
func (i *instance) end(err error) int32 {
	if err == nil {
		return ok
	}
	return i.fail(err)
}

// fail is end for an error that is not nil.
func (i *instance) fail(err error) int32 {
	status, reason, param := explain(err)
	message := err.Error()
	if r, ok := err.(*refusal); ok {
		message = r.message
	}
	e := encoder{abi.Encoder{JSON: i.result[:0]}}
	e.Begin()
	e.Text("reason", reason)
	e.Text("message", message)
	if param != "" {
		e.Text("param", param)
	}
	e.End()
	i.result = e.JSON
	return status
}

func (i *instance) configure(n int32) int32 {
	i.result = i.result[:0]
	switch {
	case i.closed:
		return i.fail(errClosed)
	case i.sandbox != nil:
		return i.fail(errConfigured)
	case n < 0 || int(n) > len(i.in):
		return i.fail(errBadLength)
	}
	c, err := decodeConfig(i.in[:n])
	if err != nil {
		return i.fail(err)
	}
	e, cache, err := i.engine()
	if err != nil {
		return i.fail(err)
	}
	if i.sandbox, err = newSandbox(i.page, c, e, cache, i.await); err != nil {
		return i.fail(err)
	}
	out := encoder{abi.Encoder{JSON: i.result}}
	out.Begin()
	out.Text("by", hostwasm.CompiledBy(e, c.limits))
	out.End()
	i.result = out.JSON
	return ok
}

func (i *instance) closeAll() int32 {
	if _, _, status := i.begin(0, 0); status != ok {
		return status
	}
	i.closed = true
	go i.sandbox.close() // ends when all terminals have
	return ok
}

func (i *instance) create(n int32) int32 {
	_, p, status := i.begin(0, n)
	if status != ok {
		return status
	}
	c, err := decodeCommand(p, i.sandbox.config.cwd)
	if err != nil {
		return i.fail(err)
	}
	id, err := i.sandbox.create(c)
	if err != nil {
		return i.fail(err)
	}
	i.result = append(i.result, id...)
	return ok
}

// terminal is begin for a call about a terminal.
func (i *instance) terminal(idLen, n int32) (t *terminal, p []byte, status int32) {
	id, p, status := i.begin(idLen, n)
	if status != ok {
		return nil, nil, status
	}
	t, err := i.sandbox.find(core.TerminalID(id))
	if err != nil {
		return nil, nil, i.fail(err)
	}
	return t, p, ok
}

func (i *instance) write(idLen, n int32) int32 {
	t, p, status := i.terminal(idLen, n)
	if status != ok {
		return status
	}
	_, err := t.driver.Terminal(t.id).Write(p)
	return i.end(err)
}

func (i *instance) closeInput(idLen int32) int32 {
	t, _, status := i.terminal(idLen, 0)
	if status != ok {
		return status
	}
	return i.end(t.driver.Terminal(t.id).CloseInput())
}

func (i *instance) resize(idLen, rows, cols int32) int32 {
	t, _, status := i.terminal(idLen, 0)
	if status != ok {
		return status
	}
	return i.end(i.sandbox.resize(t, int(rows), int(cols)))
}

func (i *instance) kill(idLen int32) int32 {
	t, _, status := i.terminal(idLen, 0)
	if status != ok {
		return status
	}
	return i.end(i.sandbox.kill(t))
}

func (i *instance) release(idLen int32) int32 {
	t, _, status := i.terminal(idLen, 0)
	if status != ok {
		return status
	}
	return i.end(i.sandbox.release(t))
}

func (i *instance) output(idLen int32) int32 {
	t, _, status := i.terminal(idLen, 0)
	if status != ok {
		return status
	}
	var truncated bool
	if i.result, truncated = t.driver.Terminal(t.id).AppendOutput(i.result); truncated {
		return more
	}
	return ok
}

func (i *instance) decide(request, allow, n int32) int32 {
	_, p, status := i.begin(0, n)
	switch {
	case status != ok:
		return status
	case !utf8.Valid(p):
		p = nil
	}
	return i.end(i.sandbox.answered(request, core.Decision{Allow: allow == 1, Reason: string(p)}))
}

func (i *instance) watch(idLen, history int32) int32 {
	id, _, status := i.begin(idLen, 0)
	switch {
	case status != ok:
		return status
	case history < 0 || history > maxHistory:
		return i.fail(outOfRange("history"))
	}
	out, number, err := i.sandbox.watch(i.result, core.TerminalID(id), int(history))
	if err != nil {
		return i.fail(err)
	}
	i.result = out
	return number
}

func (i *instance) snapshot(watch, history int32) int32 {
	_, _, status := i.begin(0, 0)
	switch {
	case status != ok:
		return status
	case history < 0 || history > maxHistory:
		return i.fail(outOfRange("history"))
	}
	var err error
	i.result, err = i.sandbox.snapshot(i.result, watch, int(history))
	return i.end(err)
}

func (i *instance) take(watch, n int32) int32 {
	_, _, status := i.begin(0, 0)
	switch {
	case status != ok:
		return status
	case n <= 0:
		return i.fail(outOfRange("max"))
	}
	out, status, err := i.sandbox.take(i.result, watch, int(n))
	if err != nil {
		return i.fail(err)
	}
	i.result = out
	return status
}

func (i *instance) unwatch(watch int32) int32 {
	if _, _, status := i.begin(0, 0); status != ok {
		return status
	}
	return i.end(i.sandbox.unwatch(watch))
}

func (i *instance) openPeer(n int32) int32 {
	_, p, status := i.begin(0, n)
	if status != ok {
		return status
	}
	c, err := decodePeer(p)
	if err != nil {
		return i.fail(err)
	}
	number, err := i.sandbox.openPeer(c)
	if err != nil {
		return i.fail(err)
	}
	return number
}

// peer is begin for a call about a peer.
func (i *instance) peer(number, n int32) (who *peer, p []byte, status int32) {
	_, p, status = i.begin(0, n)
	if status != ok {
		return nil, nil, status
	}
	who, err := i.sandbox.peer(number)
	if err != nil {
		return nil, nil, i.fail(err)
	}
	return who, p, ok
}

func (i *instance) peerLine(number, n int32) int32 {
	who, p, status := i.peer(number, n)
	if status != ok {
		return status
	}
	return i.end(who.in.add(p))
}

func (i *instance) peerTaken(number, count int32) int32 {
	who, _, status := i.peer(number, 0)
	switch {
	case status != ok:
		return status
	case count < 0:
		return i.fail(outOfRange("count"))
	}
	who.out.taken(int(count))
	return ok
}

func (i *instance) closePeer(number int32) int32 {
	who, _, status := i.peer(number, 0)
	if status != ok {
		return status
	}
	who.in.close()
	who.out.close()
	return ok
}

// file is begin for a call about a file.
func (i *instance) file(pathLen, n int32) (name string, p []byte, status int32) {
	name, p, status = i.begin(pathLen, n)
	if status == ok && !cleanPath(name) {
		status = i.fail(badPath(name))
	}
	return name, p, status
}

// do does something with files, which errors call by that name, and makes what it
// appends the result. Where it has to wait it is done later.
func (i *instance) do(name string, f func(c caller, dst []byte) ([]byte, error)) int32 {
	named := func(c caller, dst []byte) ([]byte, error) {
		out, err := f(c, dst)
		if err != nil && err != errWaits {
			err = &fileError{name, err}
		}
		return out, err
	}
	out, err := named(i.sandbox.files.now(), i.result)
	if err == errWaits {
		return i.later(named)
	}
	i.result = out
	return i.end(err)
}

// later has f done by a caller that waits. The result is the request.
func (i *instance) later(f func(c caller, dst []byte) ([]byte, error)) int32 {
	number, err := i.sandbox.later(f)
	if err != nil {
		return i.fail(err)
	}
	e := abi.Encoder{JSON: i.result[:0]}
	e.Begin()
	e.Int("request", int64(number))
	e.End()
	i.result = e.JSON
	return waits
}

// about does something with a file.
func (i *instance) about(pathLen int32, f func(c caller, dst []byte, name string) ([]byte, error)) int32 {
	name, _, status := i.file(pathLen, 0)
	if status != ok {
		return status
	}
	return i.do(name, func(c caller, dst []byte) ([]byte, error) { return f(c, dst, name) })
}

func (i *instance) fileStat(pathLen int32) int32 { return i.about(pathLen, caller.stat) }
func (i *instance) fileList(pathLen int32) int32 { return i.about(pathLen, caller.list) }
func (i *instance) fileRead(pathLen int32) int32 { return i.about(pathLen, caller.read) }

func (i *instance) fileWrite(pathLen, n, flags, mode int32) int32 {
	name, p, status := i.file(pathLen, n)
	switch {
	case status != ok:
		return status
	case flags&^(makeFile|replaceFile|makeDirs) != 0:
		return i.fail(outOfRange("flags"))
	case mode < 0 || mode > 0o777:
		return i.fail(outOfRange("mode"))
	}
	return i.do(name, func(c caller, dst []byte) ([]byte, error) {
		err := c.write(name, p, flags, mode)
		if err == errWaits {
			p = append([]byte(nil), p...) // it is lent
		}
		return dst, err
	})
}

func (i *instance) fileMkdir(pathLen int32) int32 {
	return i.about(pathLen, func(c caller, dst []byte, name string) ([]byte, error) { return dst, c.mkdir(name) })
}

func (i *instance) fileRemove(pathLen, recursive int32) int32 {
	return i.about(pathLen, func(c caller, dst []byte, name string) ([]byte, error) {
		return dst, c.remove(name, recursive == 1)
	})
}

func (i *instance) fileRename(pathLen, n, overwrite int32) int32 {
	name, p, status := i.file(pathLen, n)
	if status == ok && !cleanPath(string(p)) {
		status = i.fail(badPath(string(p)))
	}
	if status != ok {
		return status
	}
	to := string(p)
	return i.do(name+" to "+to, func(c caller, dst []byte) ([]byte, error) { return dst, c.rename(name, to, overwrite == 1) })
}

func (i *instance) fileResult(request int32) int32 {
	if _, _, status := i.begin(0, 0); status != ok {
		return status
	}
	out, err := i.sandbox.taken(request)
	if err != nil {
		return i.fail(err)
	}
	i.result = append(i.result, out...)
	return ok
}

func (i *instance) provided(request, failed, n int32) int32 {
	_, p, status := i.ending(0, n)
	if status != ok {
		return status
	}
	return i.end(i.sandbox.files.provided(request, failed != 0, p))
}

func (i *instance) providerChanged(mount, n int32) int32 {
	_, p, status := i.begin(0, n)
	if status != ok {
		return status
	}
	return i.end(i.sandbox.files.announce(mount, p))
}

func (i *instance) fileChanges() int32 {
	if _, _, status := i.begin(0, 0); status != ok {
		return status
	}
	var all bool
	if i.result, all = i.sandbox.files.changes.take(i.result); all {
		return more
	}
	return ok
}

func (i *instance) moduleCompiled(request int32) int32 {
	if _, _, status := i.begin(0, 0); status != ok {
		return status
	}
	return i.end(i.sandbox.answeredLoad(request, loaded{}))
}

func (i *instance) moduleBytes(request, n int32) int32 {
	_, p, status := i.begin(0, n)
	if status != ok {
		return status
	}
	return i.end(i.sandbox.answeredLoad(request, loaded{wasm: append([]byte(nil), p...)}))
}

func (i *instance) moduleFailed(request, n int32) int32 {
	_, p, status := i.begin(0, n)
	if status != ok {
		return status
	}
	e, err := decodeFailure(p)
	if err != nil {
		return i.fail(err)
	}
	return i.end(i.sandbox.answeredLoad(request, loaded{err: e}))
}
