package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
	"github.com/terrarium-dev/terrarium/hostnative"
)

func TestProtectedLeads(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(filepath.Dir(dir), alias); err != nil {
		t.Fatal(err)
	}
	own := filepath.Base(dir)
	there := workspace.Listing{"cfg/x": {Kind: workspace.File}}
	for p, to := range map[string]string{
		".vscode": "cfg/vscode", ".claude": "one", "one": "two/three", "two": "a/b", "s/.envrc": "../env", ".zed": filepath.Join(dir, "here"),
		".run": "/etc", ".husky": "../up", ".roo": ".roo", ".kiro": ".git/x", "other": "free",
		"o/.vscode": "../../" + own + "/back/there", "p/.vscode": filepath.Join(alias, own, "aliased"), "q/.vscode": "../../" + own + "x/no",
		".idea": "far/idea", "far/idea/x.xml": "../../deep/x.xml", "deep/x.xml": "../below", "below/one": "../last",
	} {
		there[p] = workspace.Entry{Kind: workspace.Link, Target: to}
	}
	protected := hostnative.NewProtectedFiles(dir)
	leads := make(protectedLeads)
	if err := leads.add(t.Context(), dir, protected, there); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]bool{
		"cfg/vscode": true, "cfg/vscode/a/b": true, "cfg/vscodes": false, "cfg": false, "a/b/three/x": true, "a/b": false, "env": true,
		"here/x": true, "etc/x": false, "up/x": false, "free/x": false, "x": false,
		"back/there/x": true, "back": false, "aliased/x": true, "no": false,
		"far/idea/x.xml": true, "deep/x.xml": true, "deep": false, "below/x": true, "last": true, "two": true, "far": false,
	} {
		if got := leads.runs(p); got != want {
			t.Errorf("%s: got %v, want %v", p, got, want)
		}
	}
	err = leads.add(t.Context(), dir, protected, workspace.Listing{"d/.vscode": {Kind: workspace.Link, Target: ".."}})
	if err != nil {
		t.Fatal(err)
	}
	if !leads.runs("x") {
		t.Error("what a link to all leads to is not marked")
	}
	for to, all := range map[string]bool{
		"a/../x": true, "../a/./../x": true, "/a/../x": true, dir + "/a/..": true, "../../a/x": false, "./../a": false, "a..": false,
	} {
		leads := make(protectedLeads)
		err := leads.add(t.Context(), dir, protected, workspace.Listing{"d/.vscode": {Kind: workspace.Link, Target: to}})
		if err != nil {
			t.Fatal(err)
		}
		if got := leads.runs("other"); got != all {
			t.Errorf("%s: all counts: %v, want %v", to, got, all)
		}
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
	outside := make(workspace.Listing)
	for i := range maxLooks {
		outside[fmt.Sprintf("%d/.vscode", i)] = workspace.Entry{Kind: workspace.Link, Target: "../../x" + deep}
	}
	dir := t.TempDir()
	for _, there := range []workspace.Listing{there, outside} {
		leads := make(protectedLeads)
		if err := leads.add(t.Context(), dir, hostnative.NewProtectedFiles(dir), there); err != nil {
			t.Fatal(err)
		}
		if !leads.runs("x") {
			t.Errorf("got %v, want all of it", leads)
		}
	}
}

// A far side that names links far below what is not here does not hold us up, and a person can
// leave.
func TestProtectedLeadsOfDeepLinks(t *testing.T) {
	there := make(workspace.Listing)
	deep := strings.Repeat("a/", 125)
	for i := range 50_000 {
		there[fmt.Sprintf("%s%d", deep, i)] = workspace.Entry{Kind: workspace.Link, Target: "x"}
	}
	dir := t.TempDir()
	soon, cancel := context.WithTimeout(t.Context(), time.Minute) // 4 ms for each are 200 s
	defer cancel()
	if err := make(protectedLeads).add(soon, dir, hostnative.NewProtectedFiles(dir), there); err != nil {
		t.Error(err)
	}
	ctx, leave := context.WithCancelCause(t.Context())
	stop := errors.New("left")
	leave(stop)
	if err := make(protectedLeads).add(ctx, dir, hostnative.NewProtectedFiles(dir), there); !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
}
