package challenge_test

import (
	"fmt"
	"time"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

// An agent that knows one answer, at a terminal that shows one screen.
func ExampleMachine() {
	const answer = `{"analysis": "an empty shell", "plan": "greet", "task_complete": true,
		"commands": [{"keystrokes": "echo hello\n", "duration": 0.1}]}`
	now := time.Unix(0, 0)
	m := challenge.New(challenge.Config{Instruction: "Say hello."})
	m.Start(now)
	for e, ok := m.NextEffect(); ok; e, ok = m.NextEffect() {
		fmt.Printf("%v %q\n", e.Kind, e.Keystrokes)
		switch e.Kind {
		case challenge.Look:
			m.HandleView(now, challenge.View{Screen: "$ echo hello\nhello\n$\n"})
		case challenge.Ask:
			m.HandleAnswer(now, answer)
		case challenge.Type:
			now = now.Add(e.Wait)
			m.HandleTimeout(now)
		case challenge.Done:
			fmt.Println(e.Outcome, "in", m.Turn(), "turns and", now.Sub(time.Unix(0, 0)))
		}
	}
	// Output:
	// look ""
	// ask ""
	// type "echo hello\n"
	// look ""
	// ask ""
	// type "echo hello\n"
	// done ""
	// completed in 2 turns and 200ms
}

func ExampleParser() {
	p := challenge.Parser{Format: challenge.XML}
	r := p.Parse("<response><analysis>a</analysis><plan>p</plan><commands><keystrokes duration=\"0.1\">C-c</keystrokes></commands></response>")
	fmt.Println(r.Commands[0].Keystrokes, r.Commands[0].Duration, r.Complete)
	// Output: C-c 0.1 false
}
