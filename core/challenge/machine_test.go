package challenge_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

// TestAnyOrder calls everything at any time: the machine asks for one thing
// after the other, ends once, and never waits for nothing.
func TestAnyOrder(t *testing.T) {
	answers := []string{
		"", "{", `{"analysis":"a","plan":"p","commands":[]}`, `{"analysis":"a","plan":"p","commands":[],"task_complete":true}`,
		`{"analysis":"a","plan":"p","commands":[{"keystrokes":"ls\n","duration":-1},{"keystrokes":"","duration":1}]}`,
	}
	views := []challenge.View{
		{}, {Screen: "$\n", Rows: 2}, {Screen: "$ ls\n", Top: 5, History: "a\nb\n"}, {Screen: "~\n", Alternate: true}, {History: "a\nb\n", Top: 1},
		{Screen: "x", Rows: -1, Top: 1 << 63},
	}
	outcomes := map[challenge.Outcome]int{}
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 0))
		m := challenge.New(challenge.Config{
			Parser: challenge.Parser{Strict: random.IntN(2) == 0}, MaxTurns: random.IntN(5),
			Timeout: time.Duration(random.IntN(3)) * time.Minute, AnswerTimeout: time.Duration(random.IntN(3)) * 10 * time.Second,
		})
		now := time.Unix(1_000_000, 0)
		kinds := map[challenge.EffectKind]int{}
		started := false
		for range 60 {
			switch random.IntN(20) {
			case 0, 1, 2:
				m.Start(now)
				started = true
			case 3, 4, 5, 6, 7:
				m.HandleView(now, views[random.IntN(len(views))])
			case 8, 9, 10, 11, 12:
				m.HandleAnswer(now, answers[random.IntN(len(answers))])
			case 13:
				m.HandleTruncated(now, answers[random.IntN(len(answers))])
			case 14:
				m.HandleReady(now, random.IntN(5))
			case 15, 16, 17:
				if at, ok := m.Deadline(); ok {
					now = at
				}
				m.HandleTimeout(now)
			case 18:
				now = now.Add(time.Duration(random.IntN(30)) * time.Second)
			case 19:
				if random.IntN(10) == 0 {
					m.HandleAgentEnd(now, errors.New("gone"))
				} else if random.IntN(10) == 0 {
					m.HandleTerminalEnd(now)
				}
			}
			for e, ok := m.NextEffect(); ok; e, ok = m.NextEffect() {
				if kinds[challenge.Done] > 0 {
					t.Fatalf("seed %d: got %v after the end", seed, e.Kind)
				}
				kinds[e.Kind]++
				if e.Kind == challenge.Ask && e.Turn != kinds[challenge.Ask] {
					t.Fatalf("seed %d: got turn %d, want %d", seed, e.Turn, kinds[challenge.Ask])
				}
				if e.Kind == challenge.Done {
					outcomes[e.Outcome]++
				}
			}
			over := kinds[challenge.Done] > 0
			if got := m.Outcome() != challenge.Running; got != over {
				t.Fatalf("seed %d: got outcome %v after %d Done", seed, m.Outcome(), kinds[challenge.Done])
			}
			if at, ok := m.Deadline(); ok && (over || !started) {
				t.Fatalf("seed %d: got deadline %v, want none: it does not run", seed, at)
			}
		}
	}
	for o := challenge.Completed; o <= challenge.TerminalEnded; o++ {
		if outcomes[o] == 0 {
			t.Errorf("got no task that ended with %q, want all to happen: %v", o, outcomes)
		}
	}
}
