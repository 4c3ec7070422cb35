package workspace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A command may have made anything of the tree that it ran in. What is done with that afterwards
// starts nothing, changes nothing outside, and ends.
func TestHostileFarTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: no git here")
	}
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: other systems have other commands and names")
	}
	for name, c := range map[string]struct {
		attack string // for a shell, in the tree
		fails  string // what the error says, if there is one
	}{
		"programs": {attack: `
			for k in core.fsmonitor core.pager core.editor core.sshCommand core.alternateRefsCommand core.gitProxy core.askPass \
				filter.x.clean filter.x.smudge filter.x.process diff.x.command diff.x.textconv diff.external merge.x.driver \
				uploadpack.packObjectsHook gpg.program sequence.editor alias.ls-files alias.read-tree credential.helper
			do git config $k "$MARK"; done
			git config core.hooksPath "$HOOKS"
			mkdir .git/info
			git config core.attributesFile "$PWD/.gitattributes"
			printf '* filter=x diff=x merge=x\n' >.gitattributes
			cp .gitattributes .git/info/attributes
			cp .git/config included
			printf '[include]\n\tpath = %s/included\n' "$PWD" >>.git/config
			printf '[submodule "s"]\n\tpath = s\n\turl = ext::%s\n\tupdate = !%s\n' "$MARK" "$MARK" >.gitmodules
			git init -q s; cp .git/config s/.git/config; cp -r "$HOOKS" s/.git/hooks; echo x >s/x`},
		"other objects": {attack: `
			git init -q ../other; cd ../other; echo evil >a; git add -A; git commit -qm evil; evil=$(git rev-parse HEAD); cd ../tree
			head=$(git rev-parse HEAD)
			mkdir -p .git/objects/info .git/info; echo ../../../other/.git/objects >.git/objects/info/alternates
			git replace -f $head $evil; echo "$head $evil" >.git/info/grafts; echo $evil >.git/shallow`},
		"names": {attack: `
			for n in -rf --output=x ':(glob)*' '$(touch "$RAN")' a\\nb 'con' 'A' "$(printf 'n\nl')" "$(printf '\033[2J')" "$(printf '\377')" "$(printf '%0255d' 1)"
			do echo x >"$n"; done
			d=$(printf '%0250d' 1); d=$d/$d/$d/$d/$d; d=$d/$d; mkdir -p $d; echo x >$d/x; mkdir -p y/$d; mv y $d`},
		"deep":           {attack: `p=$(printf '%01900d' 0 | sed 's,0,d/,g'); mkdir -p $p x/$p; mv x $p`},
		"git is a link":  {attack: `mv .git ../moved; ln -s ../moved .git`},
		"git is a file":  {attack: `mv .git ../moved; echo 'gitdir: ../moved' >.git`},
		"git is huge":    {attack: `rm -r .git; truncate -s 10G .git`},
		"packs outside":  {attack: `rm -r .git/objects/pack; ln -s "$OUTSIDE" .git/objects/pack`, fails: "escapes"},
		"refs outside":   {attack: `rm -r .git/refs/heads; mkdir -p .git/refs; ln -s "$OUTSIDE" .git/refs/heads; git rev-parse -q --verify HEAD || echo $HEAD >.git/HEAD`, fails: "escapes"},
		"huge files":     {attack: `for f in HEAD index packed-refs config; do truncate -s 10G .git/$f; done`},
		"endless HEAD":   {attack: `ln -sf /dev/zero .git/HEAD`},
		"HEAD is a pipe": {attack: `rm .git/HEAD; mkfifo .git/HEAD`},
		"staged":         {attack: `mkdir -p .git/HEAD.terrarium/x .git/index.terrarium/x`, fails: "file exists"},
		"index":          {attack: `rm .git/index; mkdir -p .git/index/x`, fails: "index"},
		"inner repositories": {attack: `
			for r in 1 2 3 4 5 6; do git init -q r$r; echo x >r$r/x; done
			truncate -s 10G r1/.git/packed-refs; truncate -s 10G r2/.git/HEAD; truncate -s 10G r3/.git/config
			rm -r r4/.git; truncate -s 10G r4/.git; rm -r r5/.git; ln -s "$OUTSIDE" r5/.git; rm -r r6/.git; echo "gitdir: $OUTSIDE" >r6/.git`},
		"ours outside": {attack: `ln -s "$OUTSIDE" .terrarium-workspace-x; touch -h -t 200101010000 .terrarium-workspace-x; touch -t 209901010000 a`},
		"hard links":   {attack: `rm a; ln "$OUTSIDE/kept" a`, fails: "changed on both sides: a"},
	} {
		t.Run(name, func(t *testing.T) { hostileFarTree(t, c.attack, c.fails) })
	}
}

func hostileFarTree(t *testing.T, attack, fails string) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	dir, outside, hooks := t.TempDir(), t.TempDir(), t.TempDir()
	ran := filepath.Join(outside, "ran")
	mark := filepath.Join(t.TempDir(), "mark")
	script := []byte("#!/bin/sh\ntouch " + ran + "\nexit 1\n")
	if err := errors.Join(os.WriteFile(mark, script, 0o700), os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "update", "post-update", "fsmonitor-watchman"} {
		if err := os.WriteFile(filepath.Join(hooks, name), script, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a"}
	shell := func(dir, text string, env ...string) {
		t.Helper()
		cmd := exec.Command("sh", "-c", "set -e\n"+text)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	shell(dir, "git init -q; echo 1 >a; git add -A; git commit -qm one", env...)
	far, err := OpenFar("0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	// hand hands over what is in a here, where base is there.
	hand := func(base Listing, have string) (now Listing, head string, err error) {
		tree, err := OpenTree(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		scan, err := ScanNames(root, []string{"a"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var bundle, tar bytes.Buffer
		err = errors.Join(tree.Bundle(t.Context(), &bundle, have), Pack(&tar, root, []Change{{"a", base["a"], scan.Listing["a"]}}, nil, nil))
		if err != nil {
			t.Fatal(err)
		}
		if err = far.Import(t.Context(), &bundle, tree.Head); err == nil {
			err = far.Receive(t.Context(), &tar)
		}
		if err == nil {
			_, err = far.Checkout(t.Context(), "main")
		}
		return scan.Listing, tree.Head, err
	}
	base, head, err := hand(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	shell(far.tree(), attack, append(env, "MARK="+mark, "RAN="+ran, "HOOKS="+hooks, "OUTSIDE="+outside, "HEAD="+head)...)
	os.Remove(ran) // which the attack itself may have had run

	var listed, left bytes.Buffer
	known := base.Paths()
	if err := errors.Join(far.List(t.Context(), &listed, known), far.Left(t.Context(), &left, known)); err != nil {
		t.Errorf("to look: %v", err)
	}
	_, there, err := ReadFar(&listed)
	if err != nil {
		t.Fatalf("what is listed: %v", err)
	}
	if _, err := ReadLeft(&left); err != nil {
		t.Errorf("what is left: %v", err)
	}
	if err := far.Send(io.Discard, there.Paths()); err != nil {
		t.Errorf("to send: %v", err)
	}
	shell(dir, "echo 2 >a; git commit -qam two", env...)
	_, _, err = hand(base, head)
	if (err != nil) != (fails != "") || err != nil && !strings.Contains(err.Error(), fails) {
		t.Errorf("to hand over: got %v, want %q", err, fails)
	}
	names, err := os.ReadDir(outside)
	if text, readErr := os.ReadFile(filepath.Join(outside, "kept")); err != nil || len(names) != 1 || string(text) != "kept" {
		t.Errorf("got %v with %q outside, %v and %v, want it as before", names, text, err, readErr)
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil || usage.Maxrss > 2<<20 {
		t.Errorf("a program had %d KiB of memory; %v", usage.Maxrss, err)
	}
	if err := far.Remove(); err != nil {
		t.Errorf("to remove it: %v", err)
	}
}
