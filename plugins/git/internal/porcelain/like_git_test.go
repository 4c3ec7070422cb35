//go:build unix

package porcelain

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// debians is the git that these tests compare with. The cases that are recorded from it reach less
// of the packages history, refs and patches than of others with as many branches.
const debians = "/usr/bin/git"

// likeGit makes a repository by the lines of a shell script, with Debian's git, and returns a
// function that runs a command line of git there, which changes nothing, by both.
func likeGit(t *testing.T, script string) func(line string) {
	out, err := exec.Command(debians, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "git version 2.39.") {
		t.Skipf("NOT RUN: needs git 2.39 as %s: got %q, %v", debians, out, err)
	}
	home := t.TempDir()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "") // so that it is put back
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
		"GIT_COMMITTER_NAME": "Bo", "GIT_COMMITTER_EMAIL": "bo@example.org",
	} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	file := filepath.Join(home, "script")
	// at AGE COMMAND… runs a command so many hours ago.
	text := "set -e\nnow=" + fmt.Sprint(time.Now().Unix()) + `
at() { d="$((now - $1 * 3600 - 600)) +0100"; shift; GIT_AUTHOR_DATE=$d GIT_COMMITTER_DATE=$d "$@"; }
git() { ` + debians + ` "$@"; }
` + script
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("sh", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(line string) {
		t.Helper()
		args := strings.Split(line, " ")
		var wantOut, wantErr, gotOut, gotErr bytes.Buffer
		theirs := exec.Command(debians, args...)
		theirs.Stdout, theirs.Stderr = &wantOut, &wantErr
		if err := theirs.Run(); err != nil {
			if _, ok := errors.AsType[*exec.ExitError](err); !ok {
				t.Fatal(err)
			}
		}
		status := Main(args, strings.NewReader(""), &gotOut, &gotErr)
		if want := theirs.ProcessState.ExitCode(); status != want || gotOut.String() != wantOut.String() {
			t.Errorf("git %s: got status %d and\n%s%swant status %d and\n%s%s", line, status, &gotOut, &gotErr, want, &wantOut, &wantErr)
		}
		// Of a usage that git prints whole, ours is a line.
		if status != 129 && gotErr.String() != wantErr.String() {
			t.Errorf("git %s: got the errors %q, want %q", line, &gotErr, &wantErr)
		}
	}
}

// TestHistoryLikeGit: a history with merges of two, three and four branches, of many ages.
func TestHistoryLikeGit(t *testing.T) {
	same := likeGit(t, `
git init -q -b main
commit() { echo "$2" >"$3"; git add .; at "$1" git commit -q -m "$2" -m "The body of $2."; }
commit 90000 first a
for b in b1 b2 b3 b4; do git checkout -q -b $b main; commit 50000 "on $b" $b; done
git checkout -q main; commit 20000 second a
at 9000 git merge -q -m "three at once" b1 b2
commit 5000 third a
at 2500 git merge -q -m "four at once" b3 b4
git checkout -q -b side HEAD~2; commit 900 "on side" c; commit 400 "side again" c
git checkout -q main; commit 100 fourth a
at 30 git merge -q -m "two" side
printf 'x\0y' >bin; git add bin; at 3 git commit -q -m "binary bytes"
git tag light HEAD~1; git branch -q other HEAD~3
`)
	for _, line := range []string{
		"log --graph --oneline", "log --graph", "log --graph --all --oneline", "log --graph --stat -3", "log --graph --pretty=format:%s", "log --graph --pretty=format:%s%n%b",
		"log --graph --first-parent --oneline", "log --graph --oneline -- a", "log --graph --oneline -- c", "log --graph --reverse",
		"log --relative-date --format=%s:%ar:%cr", "log --date=relative -2", "log --date=rfc -1", "log --date=raw -1", "log --date=short --format=%ad%x09%cd -2",
		"log --date=format:%Y%% -1", "log --format=%P|%p|%N|%e|%%|%n|%x41|%q|%zz|%x4 -2", "log --format=%C(red)%s%Creset|%C(nosuch -1", "log --pretty=nosuch",
		"log --diff-merges=first-parent -2 --stat", "log --diff-merges=1 -p -2", "log -S side --oneline", "log -S s.de --pickaxe-regex --oneline", "log -G again --oneline",
		"log --follow", "log --follow a c", "log --stat -p -2 --oneline", "log --left-right --oneline b1...b2", "log --left-only --oneline b1...b2", "log --right-only --oneline b1...b2",
		"log --first-parent --oneline -- a", "log --branches=b* --oneline", "log --tags --oneline -1", "log light^! --oneline", "log main^@ --oneline -3",
		"rev-list --objects HEAD~1..HEAD", "rev-list --quiet HEAD", "rev-list --oneline -2 HEAD", "rev-list", "rev-list --count --left-right b1...b3",
		"rev-list --format=%s -2 HEAD", "rev-list --parents -3 HEAD", "rev-list --max-parents=1 --count HEAD", "rev-list --min-parents=3 HEAD",
		"shortlog HEAD", "shortlog -s HEAD", "shortlog -sne HEAD", "shortlog -sc HEAD", "shortlog --group=committer -s HEAD", "shortlog -n -2 HEAD",
		"show --stat HEAD~1", "show --nosuch", "show -s --format=%B light", "reflog exists HEAD", "reflog exists refs/heads/nosuch", "reflog -3", "reflog @ -2",
	} {
		same(line)
	}
}

// TestRefsLikeGit: references of all kinds.
func TestRefsLikeGit(t *testing.T) {
	same := likeGit(t, `
git init -q -b main
at 5000 git commit -q --allow-empty -m first -m "Its body."
at 4000 git tag -a -m "the tag" -m "More of it." v1.9
at 3000 git commit -q --allow-empty -m second
git tag v1.10; git tag v1.2; git tag light
git branch topic HEAD~1; git branch topic-2
git remote add origin .; git fetch -q origin; git branch -q -u origin/main main; git branch -q -u origin/topic topic
at 2000 git commit -q --allow-empty -m third
`)
	for _, line := range []string{
		"for-each-ref", "for-each-ref --sort=version:refname --format=%(refname:short) refs/tags", "for-each-ref --sort=-v:refname refs/tags", "for-each-ref --sort=objectname refs/heads",
		"for-each-ref --sort=nosuch", "for-each-ref --format=%(nosuch)", "for-each-ref --format=%(HEAD)%(refname)", "for-each-ref --format=%(upstream)|%(upstream:short)|%(upstream:track) refs/heads",
		"for-each-ref --format=%(objecttype)|%(subject)|%(body)|%(contents) refs/tags", "for-each-ref --format=%(taggername)|%(taggeremail)|%(tagger) refs/tags",
		"for-each-ref --format=%(authorname)|%(authoremail)|%(author)|%(authordate:short) refs", "for-each-ref --format=%(committername)%(creator)%(committerdate:raw)",
		"for-each-ref --format=%41%%%zz%4 refs/tags/light", "for-each-ref --count=2 --sort=-creatordate", "for-each-ref --merged=topic --format=%(refname)",
		"show-ref", "show-ref --head", "show-ref -d --tags", "show-ref --hash=8", "show-ref --abbrev --heads", "show-ref -q nosuch", "show-ref --verify refs/heads/main", "show-ref --verify main",
		"symbolic-ref HEAD", "symbolic-ref -q refs/heads/main", "symbolic-ref refs/heads/main", "symbolic-ref --short HEAD", "symbolic-ref HEAD nosuch",
		"check-ref-format a/b", "check-ref-format a", "check-ref-format --allow-onelevel a", "check-ref-format --normalize /a//b", "check-ref-format a..b", "check-ref-format --branch a..b", "check-ref-format --branch @{-1}",
		"describe", "describe --long", "describe --tags", "describe --tags --long v1.9", "describe --always topic-2", "describe --all", "describe --match=nosuch*", "describe --dirty HEAD", "describe --exact-match",
		"branch", "branch -v", "branch -vv", "branch -a", "branch -r -v", "branch --contains v1.9", "branch --sort=-committerdate", "branch --format=%(refname)", "branch a b c", "branch -d", "branch -m nosuch x", "branch -m topic main",
		"tag", "tag -l v1.*", "tag -n2", "tag --sort=v:refname", "tag --contains v1.10", "tag a..b", "tag -d nosuch",
	} {
		same(line)
	}
}

// TestPatchesLikeGit: patches as others make them, looked at and tried.
func TestPatchesLikeGit(t *testing.T) {
	same := likeGit(t, `
git init -q -b main
seq 40 >numbers; seq 9 >gone; echo '#!/bin/sh' >run; ln -s numbers link
git add .; at 500 git commit -q -m first
sed -i 's/^7$/seven/; s/^30$/thirty/' numbers; rm gone; mkdir -p d; echo new >d/new
git add .; at 400 git commit -q -m "second: a change" -m "Why."
git mv numbers d/moved; echo end >>d/moved; git add .; at 300 git commit -q -m third
git diff HEAD~2 HEAD~1 >two.patch; git diff -M HEAD~1 HEAD >three.patch
sed 's/^ 5$/ five/' two.patch >wrong.patch; printf 'no patch\n' >none.patch
printf -- '--- a/d/moved\n+++ b/d/moved\n@@ -1,2 +1,3 @@\n 1\n+one and a half \t\n 2\n' >space.patch
printf -- '--- a/d/moved\n+++ b/d/moved\n@@ -18,3 +18,4 @@\n 20\n 21\n+between\n 22\n' >off.patch
`)
	for _, file := range []string{"two", "three", "wrong", "none", "space", "off", "nosuch"} {
		for _, how := range []string{
			"--stat", "--numstat", "--summary", "--check", "--check -R", "--check --cached", "--check --index", "--check -v", "--check -R -v", "--check --directory=d", "--check --exclude=numbers", "--check -C1", "--check --unidiff-zero", "--check --whitespace=error", "--check --whitespace=nosuch", "--check --allow-empty",
		} {
			same("apply " + how + " " + file + ".patch")
		}
	}
	for _, line := range []string{
		"format-patch --stdout -1", "format-patch --stdout -2", "format-patch --stdout --root HEAD~1", "format-patch --stdout --rfc -1", "format-patch --stdout --subject-prefix=X -1", "format-patch --stdout -n -1", "format-patch --stdout -N -2",
		"format-patch --stdout --signature=me -1", "format-patch --stdout --no-signature -1", "format-patch --stdout -v2 -1", "format-patch --stdout --start-number=4 -2", "format-patch --stdout -s -1", "format-patch --stdout -M -1", "format-patch --stdout --no-stat -1", "format-patch --stdout --nosuch",
	} {
		same(line)
	}
}
