package bash

import (
	"strings"
	"testing"
)

func TestRgNeedsFile(t *testing.T) {
	for _, test := range []struct {
		args string
		want bool
	}{
		{"x", true},
		{"x .", false},
		{"x -", false},
		{"-n x", true},
		{"-n -A 3 x", true},
		{"-nA 3 x", true},
		{"-A3 x src", false},
		{"-e x", true},
		{"-ne x", true},
		{"-e x src", false},
		{"--regexp=x", true},
		{"-g *.go x", true},
		{"--type=go x", true},
		{"-- -x", true},
		{"-- -x src", false},
		{"--files", false},
		{"--version", false},
	} {
		if got := rgNeedsFile(strings.Fields(test.args)); got != test.want {
			t.Errorf("%s: got %t, want %t", test.args, got, test.want)
		}
	}
}
