package main

import (
	"slices"
	"testing"
)

func TestParseFuzzList(t *testing.T) {
	const list = `$ go test -list=^Fuzz ./...
FuzzParser
FuzzScreen
ok  	github.com/terrarium-dev/terrarium/core/vt	0.004s
?   	github.com/terrarium-dev/terrarium/cmd/reactor	[no test files]
FuzzLost
FAIL	github.com/terrarium-dev/terrarium/core/acp	0.002s
ok  	github.com/terrarium-dev/terrarium/core/keys	(cached)
FuzzRing
ok  	github.com/terrarium-dev/terrarium/core/ring	0.003s
`
	var got []string
	for _, target := range parseFuzzList(list) {
		got = append(got, target.String())
	}
	want := []string{"core/vt.FuzzParser", "core/vt.FuzzScreen", "core/ring.FuzzRing"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlyDeadline(t *testing.T) {
	const deadline = "fuzz: elapsed: 3s, execs: 40304 (0/sec)\n--- FAIL: FuzzRing (3.20s)\n    context deadline exceeded\nFAIL\n"
	for _, c := range []struct {
		log  string
		want bool
	}{
		{deadline, true},
		{deadline + "    Failing input written to testdata/fuzz/FuzzRing/771e938e4458e983\n", false},
		{"panic: boom\n" + deadline, false},
		{"--- FAIL: FuzzRing (0.02s)\n    ring_test.go:9: got 1, want 2\n", false},
	} {
		if got := onlyDeadline(c.log); got != c.want {
			t.Errorf("onlyDeadline(%q): got %v, want %v", c.log, got, c.want)
		}
	}
}
