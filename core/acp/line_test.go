package acp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

const (
	hello   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`
	welcome = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"terrarium","version":""}}}`
)

// input hands over bytes of the stream in pieces of n and returns the answers.
func (p *peer) input(stream string, n int) string {
	for rest := []byte(stream); len(rest) > 0; rest = rest[min(n, len(rest)):] {
		piece := bytes.Clone(rest[:min(n, len(rest))])
		p.conn.HandleInput(p.now, piece)
		clear(piece) // it must not be kept
	}
	return p.take()
}

func TestHandleInput(t *testing.T) {
	const (
		maxLine     = 200
		parseError  = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":`
		tooLong     = parseError + `{"reason":"line_too_long"}}}`
		invalidUTF8 = parseError + `{"reason":"invalid_utf8","detail":"not UTF-8 at byte 7"}}}`
		invalidJSON = parseError + `{"reason":"invalid_json","detail":"expected a value at byte 0"}}}`
	)
	padded := hello + strings.Repeat(" ", maxLine-len(hello))
	for _, c := range []struct {
		name, stream string
		want         []string
	}{
		{"one line", hello + "\n", []string{welcome}},
		{"no end yet", hello, nil},
		{"carriage returns", hello + "\r\n" + hello + "\r\n", []string{welcome, welcome}},
		{"blank lines", "\n\r\n \t\n" + hello + "\n\n", []string{welcome}},
		{"as long as it may be", padded + "\n" + hello + "\n", []string{welcome, welcome}},
		{"a byte longer", padded + " \n" + hello + "\n", []string{tooLong, welcome}},
		{"much longer", strings.Repeat("x", 10*maxLine) + "\n" + hello + "\n", []string{tooLong, welcome}},
		{"longer without end", strings.Repeat("x", 10*maxLine), []string{tooLong}},
		{"invalid UTF-8", "{\"a\":\"b\xff\"}\n" + hello + "\n", []string{invalidUTF8, welcome}},
		{"NUL", "\x00\n" + hello + "\n", []string{invalidJSON, welcome}},
	} {
		for _, n := range []int{1, 7, maxLine, 1 << 20} {
			p := newPeer(t, acp.Config{MaxLine: maxLine}, core.Config{})
			if got, want := p.input(c.stream, n), strings.Join(c.want, "\n"); got != want {
				t.Errorf("%s, in pieces of %d: got %s, want %s", c.name, n, got, want)
			}
		}
	}
}

// The end of the stream ends its last line too.
func TestHandleEOFLastLine(t *testing.T) {
	p := newPeer(t, acp.Config{}, core.Config{})
	p.input(hello, 10)
	p.conn.HandleEOF(p.now)
	if got := p.take(); got != welcome {
		t.Errorf("got %s, want %s", got, welcome)
	}
	p.conn.HandleEOF(p.now)
	if got := p.take(); got != "" {
		t.Errorf("at a second end: got %s, want nothing", got)
	}
}

// A line that NextLine returned is the caller's until the next call: writing
// into it must not change the lines behind it, nor those still to come.
func TestLinesDoNotAlias(t *testing.T) {
	p := newPeer(t, acp.Config{}, core.Config{})
	id := p.create(`{"sessionId":"s","command":"a","outputByteLimit":100}`)
	p.registry.HandleOutput(p.now, id, 1, []byte("some output"))
	messages := []string{
		request("1", acp.MethodOutput, id), hello, request("3", "nosuch", id), "{", request("5", acp.MethodKill, id),
	}
	var want []string
	for _, m := range messages {
		want = append(want, p.send(m))
	}
	var got []string
	next := func() {
		line, ok := p.conn.NextLine()
		if !ok {
			t.Fatal("got no line, want one")
		}
		got = append(got, strings.TrimSuffix(string(line), "\n"))
		for i := range line {
			line[i] = '!'
		}
	}
	for _, m := range messages {
		p.conn.HandleMessage(p.now, []byte(m))
	}
	next()
	next()
	for _, m := range messages {
		p.conn.HandleMessage(p.now, []byte(m))
	}
	for range 2*len(messages) - 2 {
		next()
	}
	for i := range got {
		if w := want[i%len(messages)]; got[i] != w {
			t.Errorf("line %d: got %s, want %s", i, got[i], w)
		}
	}
}
