// Package mcp serves terminals to agents that speak the Model Context Protocol: a Server has tools
// that create a terminal, read it, type into it and end it, on a driver.Driver of its own.
//
// The protocol has had no sessions since its version 2026-07-28, and nothing in it says that a
// client is gone. So a terminal is known by its id alone, which nobody can guess, and is released
// when no call has named it for Config.IdleRelease. Where there is a connection, ServeStdio, its
// end ends all.
//
// https://modelcontextprotocol.io/specification
package mcp
