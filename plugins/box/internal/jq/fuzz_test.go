package jq

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// FuzzRun runs programs on fuzzed input. None may panic, or go on when it is told to end.
func FuzzRun(f *testing.F) {
	for _, program := range []string{
		`.a[1:2] |= map(.+1)`, `. as [$x, {a: $y}] ?// $x | $x, $y`, `reduce .[]? as $x (0; . + ($x | numbers))`, `[paths, tostream]`,
		`def f(g): g | f(g); try f(.) catch .`, `gsub("(?<x>.)"; "\(.x)\(.x)")`, `@csv, @sh "\(.)", (.. | strings)`, `del(.[0, 1:], .a)`,
		`[limit(3; repeat(.))]`, `"\(1; 2)"`, `{(.a): 1, "b\(1)": .}`, `.[nan] = 1`, `strptime("%Y %j") | mktime`, `label $f | ., break $f`, `((((`, `sort_by(.a) | group_by(.b)`,
	} {
		f.Add(program, `{"a":[1,2,{"b":null}],"c":"x"} [3,"é",1e400] "2020 366"`)
	}
	f.Fuzz(func(t *testing.T, program, input string) {
		if len(program) > 200 || len(input) > 200 {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		var out, msg bytes.Buffer
		tool.Run(Commands()[0], tool.Env{Context: ctx, Stdin: strings.NewReader(input), Stdout: &out, Stderr: &msg, Dir: t.TempDir()},
			[]string{"jq", program})
	})
}

// FuzzDecode reads JSON. What is read and written is read as the same again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e3,"\ud83d\ude00\u0000"],"b":{}}`, `[[[`, `1 2`, `{"a" 1}`, `"\q"`, `nan`, `[1,]`, `0x1`, ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := decode(s)
		if err != nil {
			return
		}
		again, err := decode(text(v))
		if err != nil || text(again) != text(v) {
			t.Errorf("%q: got %s, %v, want %s", s, text(again), err, text(v))
		}
	})
}
