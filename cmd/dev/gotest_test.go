package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestReadTestEvents(t *testing.T) {
	const events = `$ go test -json ./...
{"ImportPath":"p/broken","Action":"build-output","Output":"broken.go:2:1: syntax error\n"}
{"Action":"output","Package":"p/a","Test":"TestPass","Output":"chatter\n"}
{"Action":"pass","Package":"p/a","Test":"TestPass"}
{"Action":"output","Package":"p/a","Test":"TestSkip","Output":"=== RUN   TestSkip\n"}
{"Action":"output","Package":"p/a","Test":"TestSkip","Output":"    a_test.go:5: needs a thing: the big one\n"}
{"Action":"output","Package":"p/a","Test":"TestSkip","Output":"--- SKIP: TestSkip (0.00s)\n"}
{"Action":"skip","Package":"p/a","Test":"TestSkip"}
{"Action":"output","Package":"p/a","Output":"ok  \tp/a\t0.002s\n"}
{"Action":"pass","Package":"p/a","Elapsed":7.6}
{"Action":"output","Package":"p/b","Test":"TestFail","Output":"    b_test.go:7: got 1, want 2\n"}
{"Action":"fail","Package":"p/b","Test":"TestFail"}
{"Action":"output","Package":"p/b","Test":"TestHang","Output":"still running\n"}
{"Action":"output","Package":"p/b","Output":"FAIL\tp/b\t0.003s\n"}
{"Action":"fail","Package":"p/b","Elapsed":0.003}
`
	var out bytes.Buffer
	var notes notes
	for _, title := range []string{"go test", "go test race"} {
		out.Reset()
		if err := readTestEvents(strings.NewReader(events), &out, title, &notes); err != nil {
			t.Fatal(err)
		}
	}
	const want = "$ go test -json ./...\n" +
		"broken.go:2:1: syntax error\n" +
		"    b_test.go:7: got 1, want 2\n" +
		"still running\n" +
		"FAIL\tp/b\t0.003s\n"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	notes.print(&out)
	const wantNotes = "SKIPPED p/a.TestSkip: needs a thing: the big one (go test, go test race)\n" +
		"SLOW p/a: 8s (go test)\nSLOW p/a: 8s (go test race)\n"
	if got := out.String(); got != wantNotes {
		t.Errorf("got %q, want %q", got, wantNotes)
	}
}
