// Package challenge lets an agent work at a terminal in the way of the Term
// Challenge, which is that of terminus-2 of Terminal-Bench: it is told a task,
// sees the screen, and answers with keystrokes and how long to wait after each.
//
// A [Parser] reads one answer, JSON or XML. A [Machine] is the whole
// conversation as a state machine: it has no terminal, no agent and no clock,
// but asks for them with effects and is answered through its Handle methods.
//
// # The life of a turn
//
//	   effect out                          answer in
//	1. Look{From}                          HandleView: the screen, and the rows that have scrolled out
//	2. Ask{Turn, Prompt, Screen}           HandleAnswer: what the agent said
//	3. Type{Keystrokes, Wait, Number}      nothing: Wait later, HandleTimeout
//	   … once for each command             or sooner HandleReady, when the command is done
//	4. Look for the next turn, or Done{Outcome}
//
// An answer with an error is followed by 2 at once, with a prompt that says
// what was wrong. One that says the task is complete is followed by a question
// whether that is so, and the second such answer, after its commands, by Done.
// HandleAgentEnd and HandleTerminalEnd may come at any time, and Done follows.
//
// The owner drains [Machine.NextEffect] after each call, and calls HandleTimeout
// when [Machine.Deadline] has come:
//
//	m := challenge.New(challenge.Config{Instruction: task, Guide: challenge.Guide(challenge.JSON)})
//	m.Start(now)
//	for e, ok := m.NextEffect(); ok; e, ok = m.NextEffect() {
//		switch e.Kind {
//		case challenge.Look:
//			m.HandleView(now, view(terminal, e.From))
//		case challenge.Ask:
//			ask(agent, e.Prompt) // and HandleAnswer when it has answered
//		case challenge.Type:
//			terminal.Write(keys.Type(nil, e.Keystrokes, modes(terminal)))
//		case challenge.Done:
//			return e.Outcome
//		}
//	}
//
// # What the agent sees
//
// In the first turn that is the screen. Afterwards it is what is new since it
// last saw the terminal, if that is whole: nothing of it overwritten, no row
// lost. Otherwise, after an editor or a cleared screen, it is the screen again.
// It gets at most 10,000 bytes, with the middle left out and the true count of
// what is missing.
//
// # Strict
//
// A Strict parser and machine do what terminus-2 does, to the letter where it
// can be seen: every warning and error, the automatic corrections, the count of
// omitted bytes that is wrong on most turns, the order of things. Two of its
// ways are not kept: where it crashes, there is an error, and warnings that it
// puts in an accidental order come in that of the answer.
//
// Everything an agent says is taken as hostile: time is linear in its length,
// nesting is bounded, and nothing panics. Nothing here is safe for concurrent
// use but a Parser, which has no state.
package challenge
