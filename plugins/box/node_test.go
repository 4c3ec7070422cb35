package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNode runs the box under another engine, where no processes can be started.
func TestNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	const box = "../dist/box.wasm"
	if _, err := os.Stat(box); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct{ script, want string }{
		{"echo hi | tr a-z A-Z; cat <<E\nx $((1 + 1))\nE", "HI\nx 2\n"},
		{"false | true; echo ${PIPESTATUS[@]}; yes | head -1", "1 0\ny\n"},
		{"nosuch 2>&1", "bash: line 1: nosuch: command not found\n"},
	} {
		cmd := exec.Command(node, "--no-warnings", "testdata/node.mjs", box, test.script)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if string(out) != test.want {
			t.Errorf("%s: got %q, %s, want %q", test.script, out, stderr.String(), test.want)
		}
	}
}
