package main

import (
	"regexp"
	"time"
)

// An Agent decides what to type. This one writes hello.txt: put yours in its place.
type Agent struct {
	typed, seen bool
}

var hello = regexp.MustCompile(`(?m)^hello *$`)

// Decide is called once for each turn.
func (a *Agent) Decide(r Request) Answer {
	switch {
	case !a.typed:
		a.typed = true
		return Answer{
			Analysis: "a shell waits",
			Plan:     "write the file, and show it",
			Commands: []Command{{Keystrokes: "echo hello >hello.txt && cat hello.txt\n", Wait: time.Second}},
		}
	case !a.seen && !hello.MatchString(r.Screen): // the machine is busy
		return Answer{Plan: "look again", Commands: []Command{{Wait: time.Second / 2}}}
	}
	// The first time we are asked whether we are sure: then the same answer says yes.
	a.seen = true
	return Answer{Analysis: "the file is written", Complete: true}
}
