// Package proxy sits between an editor and an agent that speak the Agent Client Protocol, and
// serves the agent's terminals itself.
//
// Two pumps pass lines on, one in each direction. A line goes out as it came in, byte for byte, but
// for splices: a few bytes that are put in, or in the place of others, where doc comments here say
// so. Lines of the agent that name terminal/* go to an acpconn.Server, and its answers go back.
//
// An agent is hostile. What it writes reaches the editor only if all readers of JSON take it for
// the same message (see look): else an editor could run what we had taken for something else.
//
// No pump waits for the other one. Each waits for its reader, so memory is bounded: by a line of
// 32 MiB in each direction, and by what stands beside the queues here.
package proxy
