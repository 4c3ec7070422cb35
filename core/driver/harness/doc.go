// Package harness has an agent work at a real terminal: challenge.Machine on a
// driver.Driver, with the goroutines in between.
//
//	result, err := harness.Run(ctx, harness.Config{
//		Host:      host,
//		Agent:     agent,
//		Challenge: challenge.Config{Instruction: "Say hello."},
//	})
//
// An [Agent] is anything that answers a [Request]; a [Child] is one that is a
// process. Package agent, below, is for those who write such a process in Go.
//
// # Early return
//
// An agent says how long to wait after its keystrokes, and has to guess. Unless
// the parser is strict, the wait ends as soon as there is nothing left to wait
// for: the shell has its terminal back, it is blocked reading it, and nothing
// has been printed for a moment; or the shell has said so itself, with the
// prompt marks of OSC 133. Waiting without keystrokes takes its time, and
// nothing takes longer than the agent has said.
package harness
