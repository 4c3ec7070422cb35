package main

import (
	"encoding/json"
	"testing"
)

// FuzzDecode reads anything as each kind of JSON argument: no panic, and what
// is accepted is JSON.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{` + seed + `,"acp":{"command":{"env":[{"name":"A"}]}}}`, commandText, exitText,
		`{"error":{"reason":"x"}}`, `{"allow":true}`, `{"command":"\ud800"}`, `[[[`, "\xff", ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		_, err1 := decodeConfig(p)
		command, err2 := decodeCommand(p)
		_, _, err3 := decodeResolved(p)
		_, err4 := decodeDecision(p)
		_, err5 := decodeHostError(p)
		exit, err6 := decodeExit(p)
		for _, err := range []error{err1, err2, err3, err4, err5, err6} {
			if err == nil && !json.Valid(p) {
				t.Errorf("got %q accepted, which is no JSON", p)
			}
		}
		var e encoder
		e.command(&command)
		e.exit(&exit)
	})
}

// FuzzCalls makes calls in any order with any arguments; the same on the
// module itself is FuzzReactorCalls in package tests/reactor, without coverage.
func FuzzCalls(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7}, `{"command":"ls"}`)
	f.Add([]byte{1, 7, 8, 10, 14, 11, 21, 2, 16, 15, 21, 6, 17, 22}, `{"path":"/bin/ls","argv":["ls"],"via":"args"}`)
	f.Add([]byte{1, 19, 20, 7, 8, 18, 21, 21, 22, 23}, `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"","command":"ls"}}`)
	f.Fuzz(func(t *testing.T, calls []byte, text string) {
		i := new(instance)
		r := i.newRegistry(i.put(`{` + seed + `,"liveBytes":9,"acp":{}}`))
		if len(calls) > 200 || len(text) > 1<<16 {
			return
		}
		id := ""
		now := int64(0)
		for _, c := range calls {
			now += int64(c) << (c % 60)
			n := i.put(id+text) - int32(len(id))
			idLen := int32(len(id))
			if c >= 128 {
				idLen, n = idLen-int32(c%5), n+int32(c%3)-1
			}
			switch c % 32 {
			case 0:
				r = i.newRegistry(n)
			case 1:
				n := i.put(`{"command":"cat","interactive":true,"pty":true}`)
				if i.create(r, now, 0, n) == ok {
					id = string(i.result)
				}
			case 2:
				i.write(r, now, idLen, n)
			case 3:
				i.closeInput(r, now, idLen)
			case 4:
				i.resize(r, now, idLen, int32(c), n)
			case 5:
				i.kill(r, now, idLen)
			case 6:
				i.release(r, now, idLen)
			case 7:
				n := i.put(id+`{"path":"/bin/cat"}`) - int32(len(id))
				i.handleResolved(r, now, int32(len(id)), n)
			case 8:
				i.handleStart(r, now, idLen, 0)
			case 9:
				i.handleStart(r, now, idLen, n)
			case 10, 11:
				i.handleOutput(r, now, idLen, n, int32(c%4))
			case 12:
				i.handleDecision(r, now, idLen, n)
			case 13:
				i.handleWritten(r, now, idLen, n)
			case 14:
				i.handleOutputEnd(r, now, idLen)
			case 15:
				i.handleExit(r, now, idLen, n)
			case 16:
				n := i.put(id+exitText) - int32(len(id))
				i.handleExit(r, now, int32(len(id)), n)
			case 17:
				i.handleClosed(r, now, idLen)
			case 18:
				i.handleTimeout(r, now)
			case 19:
				i.acpMessage(r, now, n)
			case 20:
				i.acpInput(r, now, n)
			case 21:
				i.nextEffect(r)
			case 22:
				i.acpNextLine(r)
			case 23:
				i.deadline(r)
			case 24:
				i.status(r, idLen)
			case 25:
				i.output(r, idLen)
			case 26:
				i.outputSince(r, idLen, now)
			case 27:
				i.issued(r, idLen, n)
			case 28:
				i.closeSession(r, now, idLen)
			case 29:
				i.closeAll(r, now)
			case 30:
				i.acpEOF(r, now)
			case 31:
				i.freeRegistry(r)
			}
		}
	})
}
