package porcelain

import (
	"fmt"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/blame"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/diffs"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/files"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/grep"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/history"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/merging"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/objects"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/patches"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/record"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/refs"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/remotes"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/replay"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/reset"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/revisions"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/setup"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/stash"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/worktree"
)

const usage = `usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           [--exec-path[=<path>]] [--html-path] [--man-path] [--info-path]
           [-p | --paginate | -P | --no-pager] [--no-replace-objects] [--bare]
           [--git-dir=<path>] [--work-tree=<path>] [--namespace=<name>]
           [--super-prefix=<path>] [--config-env=<name>=<envvar>]
           <command> [<args>]`

func help(c *cli.Call) error {
	_, err := io.WriteString(c.Stdout, usage+`

These are the commands that this git has:

start a working area
   clone     Clone a repository into a new directory
   init      Create an empty Git repository or reinitialize an existing one

work on the current change
   add       Add file contents to the index
   mv        Move or rename a file, a directory, or a symlink
   restore   Restore working tree files
   rm        Remove files from the working tree and from the index
   stash     Put changes aside, and bring them back
   clean     Remove untracked files from the working tree

examine the history and state
   diff      Show changes between commits, commit and working tree, etc
   grep      Print lines matching a pattern
   log       Show commit logs
   show      Show various types of objects
   status    Show the working tree status
   blame     Show what commit last modified each line of a file
   describe  Name a commit by the tags before it
   shortlog  Summarize git log output
   reflog    Show where branches and HEAD were

grow, mark and tweak your common history
   branch    List, create, or delete branches
   commit    Record changes to the repository
   merge     Join two or more development histories together
   rebase    Reapply commits on top of another base tip
   reset     Reset current HEAD to the specified state
   switch    Switch branches
   tag       Create, list, delete or verify a tag object
   worktree  Manage working trees beside the first one

pass changes on
   apply         Apply a patch to files and/or to the index
   am            Apply patches from a mailbox
   format-patch  Prepare patches for mails
   cherry-pick   Apply the changes of existing commits
   revert        Revert existing commits

work with other repositories
   fetch     Download objects and refs from another repository
   pull      Fetch from and integrate with another repository or a local branch
   push      Update remote refs along with associated objects
   remote    Manage the set of repositories that are followed
   ls-remote List references in another repository

also: checkout, config, ls-files; and for scripts cat-file, check-ignore,
check-ref-format, commit-tree, diff-files, diff-index, diff-tree, for-each-ref,
hash-object, ls-tree, merge-base, read-tree, rev-list, rev-parse, show-ref,
symbolic-ref, update-index, update-ref, var, write-tree
`)
	return err
}

// refused are commands of git's that this one can't do, and of which more can be said than that.
var refused = map[string]string{
	"archive":       notSupported + ": use tar",
	"bisect":        notSupported + ": git rev-list GOOD..BAD lists what git checkout can try",
	"count-objects": notSupported + ": git cat-file --batch-all-objects --batch-check lists them",
	"fsck":          notSupported + ": git cat-file --batch-all-objects --batch-check reads all, and calls missing what it can't read",
	"gc":            notSupported + ", and not needed: git works without it",
	"submodule":     notSupported + ": clone each of .gitmodules by itself",
}

const notSupported = "not supported in this sandbox"

// absent are the other commands of git's that are not here. Calling them unknown would not be true.
var absent = strings.Fields(`
	archimport bugreport bundle check-attr check-mailmap checkout-index cherry citool column
	commit-graph credential cvsexportcommit cvsimport cvsserver daemon diagnose difftool
	fast-export fast-import fetch-pack filter-branch fmt-merge-msg for-each-repo
	get-tar-commit-id gitk gui hook http-backend imap-send index-pack instaweb interpret-trailers
	mailinfo mailsplit maintenance merge-file merge-index merge-one-file merge-tree mergetool mktag
	mktree multi-pack-index name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune
	prune-packed quiltimport range-diff repack replace request-pull rerere send-email send-pack
	show-branch show-index sparse-checkout stripspace svn unpack-file unpack-objects
	update-server-info verify-commit verify-pack verify-tag`)

func commands() map[string]command {
	return map[string]command{
		"apply":            {run: patches.ApplyCommand, usage: "git apply [<options>] [<patch>...]", anywhere: true},
		"stash":            {run: stash.Command, usage: "git stash [push | list | show | drop | pop | apply | branch | clear | save | create | store]"},
		"cherry-pick":      {run: replay.CherryPick, usage: "git cherry-pick [--edit] [-n] [-m <parent-number>] [-s] [-x] [--ff] <commit>..."},
		"rebase":           {run: replay.Rebase, usage: "git rebase [--onto <newbase>] [<upstream> [<branch>]]"},
		"revert":           {run: replay.Revert, usage: "git revert [--[no-]edit] [-n] [-m <parent-number>] [-s] <commit>..."},
		"clean":            {run: files.CleanCommand, usage: "git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]"},
		"merge-base":       {run: revisions.MergeBase, usage: "git merge-base [-a | --all] <commit> <commit>...", bare: true},
		"add":              {run: files.Add, usage: "git add [<options>] [--] <pathspec>..."},
		"branch":           {run: refs.Branch, usage: "git branch [<options>] [-r | -a] [--merged] [--no-merged]", bare: true},
		"checkout":         {run: checkout.Command, usage: "git checkout [<options>] <branch>"},
		"clone":            {run: remotes.Clone, usage: "git clone [<options>] [--] <repo> [<dir>]", anywhere: true},
		"commit":           {run: record.Commit, usage: "git commit [-a | --interactive | --patch] [-s] [-v] [-u<mode>] [--amend]"},
		"config":           {run: setup.Config, usage: "git config [<options>]", anywhere: true},
		"diff":             {run: diffs.Diff, usage: "git diff [<options>] [<commit>] [--] [<path>...]", anywhere: true},
		"help":             {run: help, anywhere: true},
		"init":             {run: setup.Init, usage: "git init [-q | --quiet] [--bare] [-b <branch-name>] [<directory>]", anywhere: true},
		"log":              {run: history.Log, usage: "git log [<options>] [<revision-range>] [[--] <path>...]", bare: true, pages: true},
		"ls-files":         {run: files.LsFiles, usage: "git ls-files [<options>] [<file>...]"},
		"merge":            {run: merging.Command, usage: "git merge [<options>] [<commit>...]"},
		"mv":               {run: files.Move, usage: "git mv [<options>] <source>... <destination>"},
		"reflog":           {run: history.Reflog, usage: "git reflog [show] [<log-options>] [<ref>]", bare: true, pages: true},
		"blame":            {run: blame.Command, usage: "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", bare: true},
		"annotate":         {run: blame.Annotate, usage: "git annotate [<options>] [<rev>] [--] <file>", bare: true},
		"cat-file":         {run: objects.CatFile, usage: "git cat-file <type> <object>", bare: true},
		"commit-tree":      {run: objects.CommitTree, usage: "git commit-tree [(-p <parent>)...] [(-m <message>)...] <tree>", bare: true},
		"describe":         {run: refs.Describe, usage: "git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]", bare: true},
		"for-each-ref":     {run: refs.ForEachRef, usage: "git for-each-ref [<options>] [<pattern>]", bare: true},
		"grep":             {run: grep.Command, usage: "git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]", anywhere: true},
		"hash-object":      {run: objects.HashObject, usage: "git hash-object [-t <type>] [-w] [--stdin] [--] <file>...", anywhere: true},
		"ls-tree":          {run: objects.LsTree, usage: objects.LsTreeUsage, bare: true},
		"rev-list":         {run: history.RevList, usage: "git rev-list [<options>] <commit>... [--] [<path>...]", bare: true},
		"shortlog":         {run: history.Shortlog, usage: "git shortlog [<options>] [<revision-range>] [[--] <path>...]", bare: true},
		"show-ref":         {run: refs.ShowRef, usage: "git show-ref [-q | --quiet] [--verify] [--head] [-d] [-s] [--tags] [--heads] [<pattern>...]", bare: true},
		"symbolic-ref":     {run: refs.SymbolicRef, usage: "git symbolic-ref [-m <reason>] <name> <ref>", bare: true},
		"update-index":     {run: files.UpdateIndex, usage: "git update-index [<options>] [--] [<file>...]"},
		"update-ref":       {run: refs.UpdateRef, usage: "git update-ref [<options>] <refname> <new-oid> [<old-oid>]", bare: true},
		"write-tree":       {run: objects.WriteTree, usage: "git write-tree [--missing-ok]", bare: true},
		"check-ignore":     {run: files.CheckIgnore, usage: "git check-ignore [<options>] <pathname>..."},
		"check-ref-format": {run: refs.CheckRefFormat, anywhere: true},
		"diff-files":       {run: diffs.DiffFiles, usage: "git diff-files [-q] [<options>] [<path>...]"},
		"diff-index":       {run: diffs.DiffIndex, usage: "git diff-index [-m] [--cached] [<options>] <tree-ish> [<path>...]"},
		"diff-tree":        {run: diffs.DiffTree, usage: "git diff-tree [<options>] <tree-ish> [<tree-ish>] [<path>...]", bare: true},
		"read-tree":        {run: objects.ReadTree, usage: "git read-tree [--empty | <tree-ish>]"},
		"var":              {run: setup.Var},
		"am":               {run: patches.Am, usage: "git am [<options>] [(<mbox> | <Maildir>)...]"},
		"format-patch":     {run: patches.FormatPatch, usage: "git format-patch [<options>] [<since> | <revision-range>]", bare: true},
		"whatchanged":      {run: history.WhatChanged, usage: "git whatchanged [<options>] [<revision-range>] [[--] <path>...]", bare: true, pages: true},
		"worktree":         {run: worktree.Command, usage: "git worktree <command>", bare: true},
		"fetch":            {run: remotes.Fetch, usage: "git fetch [<options>] [<repository> [<refspec>...]]", bare: true},
		"pull":             {run: remotes.Pull, usage: "git pull [<options>] [<repository> [<refspec>...]]"},
		"push":             {run: remotes.Push, usage: "git push [<options>] [<repository> [<refspec>...]]", bare: true},
		"ls-remote":        {run: remotes.LsRemote, usage: "git ls-remote [--heads] [--tags] [--refs] [--symref] [-q | --quiet] [--exit-code] [--get-url] [<repository> [<refs>...]]", anywhere: true},
		"remote":           {run: remotes.Remote, usage: "git remote [-v | --verbose]", bare: true},
		"reset":            {run: reset.Command, usage: "git reset [--mixed | --soft | --hard | --merge | --keep] [-q] [<commit>]"},
		"restore":          {run: checkout.Restore, usage: "git restore [<options>] [--source=<branch>] <file>..."},
		"rev-parse":        {run: revisions.RevParse, anywhere: true, bare: true},
		"rm":               {run: files.Remove, usage: "git rm [-f | --force] [-n] [-r] [--cached] [--ignore-unmatch] [--quiet] [--] [<pathspec>...]"},
		"show":             {run: history.Show, usage: "git show [<options>] <object>...", bare: true, pages: true},
		"status":           {run: status.Command, usage: "git status [<options>] [--] [<pathspec>...]"},
		"switch":           {run: checkout.Switch, usage: "git switch [<options>] [<branch>]"},
		"tag":              {run: refs.Tag, usage: "git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] [-e] <tagname> [<commit>]", bare: true},
		"version":          {run: func(c *cli.Call) error { _, err := fmt.Fprintln(c.Stdout, version); return err }, anywhere: true},
	}
}
