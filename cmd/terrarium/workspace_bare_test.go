package main

import (
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// Files that git runs programs for are marked, in whatever directory they make a repository.
func TestBareRepositories(t *testing.T) {
	file := workspace.Entry{Kind: workspace.File}
	bare := make(bareRepositories)
	bare.add(workspace.Listing{"a/b/HEAD": file, "a/b/config": file, "c/config": file, "d/head": file})
	for p, want := range map[string]bool{
		"a/b/config": true, "a/b/HEAD": true, "a/b/hooks/post-checkout": true, "a/b/commondir": true,
		"d/CONFIG": true, "a/b/objects/pack/x": false, "a/config": false, "c/config": false, "config": false,
		"a/b/c/config": false,
	} {
		if got := bare.runs(p); got != want {
			t.Errorf("%s: got %v, want %v", p, got, want)
		}
	}
	bare.add(workspace.Listing{"HEAD": file})
	if !bare.runs("config") || !bare.runs("hooks/x") {
		t.Error("what is at the top is not found")
	}
}
