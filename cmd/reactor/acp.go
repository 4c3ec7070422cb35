package main

import "bytes"

// The ACP connection of a registry. Each method is that of acp.Conn with the
// same name.

// acpMessage takes one message, a line without its end.
func (i *instance) acpMessage(handle int32, now int64, n int32) int32 {
	c, status := i.acpCall(handle, now, n)
	if c == nil {
		return status
	}
	c.conn.HandleMessage(c.now, c.rest)
	return ok
}

// acpInput takes the next bytes of the peer's stream, up to the end of a line,
// and returns how many it took: the answer to one line may be large, and the
// embedder is to take it before it hands in the next.
func (i *instance) acpInput(handle int32, now int64, n int32) int32 {
	c, status := i.acpCall(handle, now, n)
	if c == nil {
		return status
	}
	line := c.rest
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	c.conn.HandleInput(c.now, line)
	return int32(len(line))
}

func (i *instance) acpEOF(handle int32, now int64) int32 {
	c, status := i.acpCall(handle, now, 0)
	if c == nil {
		return status
	}
	c.conn.HandleEOF(c.now)
	return ok
}

// acpNextLine returns the next line for the peer, or nil.
func (i *instance) acpNextLine(handle int32) []byte {
	c, _ := i.acpCall(handle, 0, 0)
	if c == nil {
		return nil
	}
	line, _ := c.conn.NextLine()
	i.allocated += len(line)
	return line
}

// acpCall is call for what needs the connection.
func (i *instance) acpCall(handle int32, now int64, n int32) (*call, int32) {
	c, status := i.call(handle, now, 0, n)
	if c != nil && c.conn == nil {
		return nil, i.fail(errNoACP)
	}
	return c, status
}
