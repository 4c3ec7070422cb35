package main

import (
	"bufio"
	"context"
	"io"
	"testing"
	"time"
)

// The sleeping grandchild holds the output open: the command returns when it is gone too,
// or gives it up after ten seconds.
func TestCommandEndsWithItsChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pr, pw := io.Pipe()
	ended := make(chan error, 1)
	go func() { // ends with the command, whose context is cancelled below
		ended <- command(ctx, pw, nil, "sh", "-c", "sleep 1000 & echo started; wait")
		pw.Close()
	}()
	lines := bufio.NewScanner(pr)
	for lines.Scan() && lines.Text() != "started" {
	}
	cancel()
	start := time.Now()
	if lines.Scan() {
		t.Errorf("got %q, want no more output", lines.Text())
	}
	if err := <-ended; err == nil {
		t.Error("got no error from a command that was interrupted")
	}
	if took := time.Since(start); took > 9*time.Second {
		t.Errorf("got the end after %v: the grandchild outlived the interrupt", took)
	}
}

func TestCommandLineCanBePasted(t *testing.T) {
	got := commandLine([]string{"GOOS=wasip1"}, "go", []string{"test", "-run=^$", "it's", "./..."})
	if want := `GOOS=wasip1 go test '-run=^$' 'it'\''s' ./...`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
