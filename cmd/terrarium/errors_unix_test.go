//go:build linux || darwin

package main

import (
	"bufio"
	"errors"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// A warning is a line of its own also at a terminal that a command has made raw.
func TestWarnRaw(t *testing.T) {
	person, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()
	defer tty.Close()
	if _, err := term.MakeRaw(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	warn(tty, errors.New("module was changed"))
	got, err := bufio.NewReader(person).ReadString('\n')
	if want := "terrarium: module was changed\r\n"; err != nil || got != want {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}
