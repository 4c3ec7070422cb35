package challenge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

// BenchmarkParse reads an answer that writes a file of 16 KiB.
func BenchmarkParse(b *testing.B) {
	text := strings.Repeat(`print(f"{x} <b>é</b>")`+"\n", 700)
	quoted := strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(text)
	for name, response := range map[string]string{
		"json": `{"analysis":"a","plan":"p","commands":[{"keystrokes":"cat >f <<E\n` + quoted + `E\n","duration":0.5}]}`,
		"xml": "<response><analysis>a</analysis><plan>p</plan><commands><keystrokes duration=\"0.5\">cat >f <<E\n" + text +
			"E\n</keystrokes></commands></response>",
	} {
		b.Run(name, func(b *testing.B) {
			p := parser(b, name, false)
			b.SetBytes(int64(len(response)))
			b.ReportAllocs()
			for b.Loop() {
				if r := p.Parse(response); r.Error != "" || len(r.Commands) != 1 {
					b.Fatalf("got %q, want a command", r.Error)
				}
			}
		})
	}
}

// BenchmarkTurn is a turn on a screen that shows one more line each time.
func BenchmarkTurn(b *testing.B) {
	history := strings.Repeat(strings.Repeat("x", 70)+"\n", 40)
	b.ReportAllocs()
	top := uint64(40)
	m := challenge.New(challenge.Config{})
	m.Start(time.Time{})
	m.HandleView(time.Time{}, challenge.View{Screen: history})
	for b.Loop() {
		m.HandleAnswer(time.Time{}, `{"analysis":"a","plan":"p","commands":[]}`)
		m.HandleView(time.Time{}, challenge.View{History: history, Screen: history, Top: top})
		top += 40
		for _, ok := m.NextEffect(); ok; _, ok = m.NextEffect() {
		}
	}
}
