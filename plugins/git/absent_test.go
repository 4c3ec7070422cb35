//go:build unix

package main

import "testing"

// TestAbsent: a command of git's that is not here is not called a mistake in spelling, and --help
// of one that is here is not called an unknown option.
func TestAbsent(t *testing.T) {
	r := newRunner(t, ours(t))
	r.run(t, "git init -q -b main")
	for line, want := range map[string]string{
		"git bisect start":         "! fatal: bisect: not supported in this sandbox: git rev-list GOOD..BAD lists what git checkout can try\n? 128\n",
		"git count-objects -v":     "! fatal: count-objects: not supported in this sandbox: git cat-file --batch-all-objects --batch-check lists them\n? 128\n",
		"git fsck":                 "! fatal: fsck: not supported in this sandbox: git cat-file --batch-all-objects --batch-check reads all, and calls missing what it can't read\n? 128\n",
		"git gc":                   "! fatal: gc: not supported in this sandbox, and not needed: git works without it\n? 128\n",
		"git range-diff @~2 @~1 @": "! fatal: range-diff: not supported in this sandbox\n? 128\n",
		"git submodule":            "! fatal: submodule: not supported in this sandbox: clone each of .gitmodules by itself\n? 128\n",
		"git mv --help":            "| usage: git mv [<options>] <source>... <destination>\n",
	} {
		if got := r.run(t, line); got != want {
			t.Errorf("%s\n%s", line, difference(want, got))
		}
	}
}
