package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

func TestProtectedLeads(t *testing.T) {
	dir := t.TempDir()
	there := workspace.Listing{"cfg/x": {Kind: workspace.File}}
	for p, to := range map[string]string{
		".vscode": "cfg/vscode", ".claude": "one", "one": "two/three", "two": "a/b", "s/.envrc": "../env", ".zed": filepath.Join(dir, "here"),
		".run": "/etc", ".husky": "../up", ".roo": ".roo", ".kiro": ".git/x", "other": "free",
	} {
		there[p] = workspace.Entry{Kind: workspace.Link, Target: to}
	}
	leads := make(protectedLeads)
	leads.add(dir, there)
	for p, want := range map[string]bool{
		"cfg/vscode": true, "cfg/vscode/a/b": true, "cfg/vscodes": false, "cfg": false, "a/b/three/x": true, "a/b": false, "env": true,
		"here/x": true, "etc/x": false, "up/x": false, "free/x": false, "x": false,
	} {
		if got := leads.runs(p); got != want {
			t.Errorf("%s: got %v, want %v", p, got, want)
		}
	}
	leads.add(dir, workspace.Listing{"d/.vscode": {Kind: workspace.Link, Target: ".."}})
	if !leads.runs("x") {
		t.Error("what a link to all leads to is not marked")
	}
}

// Links that take long to follow are not followed for ever: then all counts.
func TestProtectedLeadsBounded(t *testing.T) {
	there := make(workspace.Listing)
	deep := strings.Repeat("/"+strings.Repeat("d", 25), 120)
	for i := range 2000 {
		there[fmt.Sprintf("%d/.vscode", i)] = workspace.Entry{Kind: workspace.Link, Target: "../l0" + deep}
	}
	for i := range maxFollows {
		there[fmt.Sprintf("l%d", i)] = workspace.Entry{Kind: workspace.Link, Target: fmt.Sprintf("l%d", i+1)}
	}
	leads := make(protectedLeads)
	leads.add(t.TempDir(), there)
	if !leads.runs("x") {
		t.Errorf("got %v, want all of it", leads)
	}
}
