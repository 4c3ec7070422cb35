// Package client is the editor's side of the Agent Client Protocol, for a person at a shell: it
// starts an agent, hands it one prompt, and serves what it asks for until its turn has ended.
//
// Terminals are served by an acpconn.Server on a pipe, as in package proxy: lines of the agent that
// name terminal/* go to it as they came. Files are read and written below one directory. What an
// agent tells, and what becomes of it, goes to a View as events.
//
// An agent is hostile: whatever it sends is bounded before it is kept. What a View shows of it has
// to do nothing to a person's terminal, which is the View's to see to.
package client
