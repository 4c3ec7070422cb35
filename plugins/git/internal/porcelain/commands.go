package porcelain

import (
	"fmt"
	"io"
	"strings"
)

const usage = `usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           [--exec-path[=<path>]] [--html-path] [--man-path] [--info-path]
           [-p | --paginate | -P | --no-pager] [--no-replace-objects] [--bare]
           [--git-dir=<path>] [--work-tree=<path>] [--namespace=<name>]
           [--super-prefix=<path>] [--config-env=<name>=<envvar>]
           <command> [<args>]`

func help(c *call) error {
	_, err := io.WriteString(c.stdout, usage+`

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

also: checkout, config, ls-files, remote; and for scripts cat-file, check-ignore,
check-ref-format, commit-tree, diff-files, diff-index, diff-tree, for-each-ref,
hash-object, ls-tree, merge-base, read-tree, rev-list, rev-parse, show-ref,
symbolic-ref, update-index, update-ref, var, write-tree
`)
	return err
}

// refused are commands of git's that this one can't do, and of which more can be said than that.
var refused = map[string]string{
	"fetch":     noNetwork,
	"pull":      noNetwork,
	"push":      noNetwork,
	"ls-remote": noNetwork,
	"submodule": noNetwork,
	"archive":   notSupported + ": use tar",
}

const (
	notSupported = "not supported in this sandbox"
	noNetwork    = notSupported + ", which has no network; git clone takes a path"
)

// absent are the other commands of git's that are not here. Calling them unknown would not be true.
var absent = strings.Fields(`
	archimport bisect bugreport bundle check-attr check-mailmap checkout-index cherry citool column
	commit-graph count-objects credential cvsexportcommit cvsimport cvsserver daemon diagnose difftool
	fast-export fast-import fetch-pack filter-branch fmt-merge-msg for-each-repo fsck gc
	get-tar-commit-id gitk gui hook http-backend imap-send index-pack instaweb interpret-trailers
	mailinfo mailsplit maintenance merge-file merge-index merge-one-file merge-tree mergetool mktag
	mktree multi-pack-index name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune
	prune-packed quiltimport range-diff repack replace request-pull rerere send-email send-pack
	show-branch show-index sparse-checkout stripspace svn unpack-file unpack-objects
	update-server-info verify-commit verify-pack verify-tag`)

func commands() map[string]command {
	return map[string]command{
		"apply":            {run: applyCommand, usage: "git apply [<options>] [<patch>...]", anywhere: true},
		"stash":            {run: stashCommand, usage: "git stash [push | list | show | drop | pop | apply | branch | clear | save | create | store]"},
		"cherry-pick":      {run: cherryPick, usage: "git cherry-pick [--edit] [-n] [-m <parent-number>] [-s] [-x] [--ff] <commit>..."},
		"rebase":           {run: rebaseCommand, usage: "git rebase [--onto <newbase>] [<upstream> [<branch>]]"},
		"revert":           {run: revert, usage: "git revert [--[no-]edit] [-n] [-m <parent-number>] [-s] <commit>..."},
		"clean":            {run: cleanCommand, usage: "git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]"},
		"merge-base":       {run: mergeBaseCommand, usage: "git merge-base [-a | --all] <commit> <commit>...", bare: true},
		"add":              {run: add, usage: "git add [<options>] [--] <pathspec>..."},
		"branch":           {run: branch, usage: "git branch [<options>] [-r | -a] [--merged] [--no-merged]", bare: true},
		"checkout":         {run: checkout, usage: "git checkout [<options>] <branch>"},
		"clone":            {run: clone, usage: "git clone [<options>] [--] <repo> [<dir>]", anywhere: true},
		"commit":           {run: commit, usage: "git commit [-a | --interactive | --patch] [-s] [-v] [-u<mode>] [--amend]"},
		"config":           {run: config, usage: "git config [<options>]", anywhere: true},
		"diff":             {run: diffCommand, usage: "git diff [<options>] [<commit>] [--] [<path>...]", anywhere: true},
		"help":             {run: help, anywhere: true},
		"init":             {run: initialize, usage: "git init [-q | --quiet] [--bare] [-b <branch-name>] [<directory>]", anywhere: true},
		"log":              {run: logCommand, usage: "git log [<options>] [<revision-range>] [[--] <path>...]", bare: true, pages: true},
		"ls-files":         {run: lsFiles, usage: "git ls-files [<options>] [<file>...]"},
		"merge":            {run: merge, usage: "git merge [<options>] [<commit>...]"},
		"mv":               {run: move, usage: "git mv [<options>] <source>... <destination>"},
		"reflog":           {run: reflogCommand, usage: "git reflog [show] [<log-options>] [<ref>]", bare: true, pages: true},
		"blame":            {run: blame, usage: "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", bare: true},
		"annotate":         {run: annotate, usage: "git annotate [<options>] [<rev>] [--] <file>", bare: true},
		"cat-file":         {run: catFile, usage: "git cat-file <type> <object>", bare: true},
		"commit-tree":      {run: commitTree, usage: "git commit-tree [(-p <parent>)...] [(-m <message>)...] <tree>", bare: true},
		"describe":         {run: describe, usage: "git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]", bare: true},
		"for-each-ref":     {run: forEachRef, usage: "git for-each-ref [<options>] [<pattern>]", bare: true},
		"grep":             {run: grepCommand, usage: "git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]", anywhere: true},
		"hash-object":      {run: hashObject, usage: "git hash-object [-t <type>] [-w] [--stdin] [--] <file>...", anywhere: true},
		"ls-tree":          {run: lsTree, usage: lsTreeUsage, bare: true},
		"rev-list":         {run: revList, usage: "git rev-list [<options>] <commit>... [--] [<path>...]", bare: true},
		"shortlog":         {run: shortlog, usage: "git shortlog [<options>] [<revision-range>] [[--] <path>...]", bare: true},
		"show-ref":         {run: showRef, usage: "git show-ref [-q | --quiet] [--verify] [--head] [-d] [-s] [--tags] [--heads] [<pattern>...]", bare: true},
		"symbolic-ref":     {run: symbolicRef, usage: "git symbolic-ref [-m <reason>] <name> <ref>", bare: true},
		"update-index":     {run: updateIndex, usage: "git update-index [<options>] [--] [<file>...]"},
		"update-ref":       {run: updateRef, usage: "git update-ref [<options>] <refname> <new-oid> [<old-oid>]", bare: true},
		"write-tree":       {run: writeTreeCommand, usage: "git write-tree [--missing-ok]", bare: true},
		"check-ignore":     {run: checkIgnore, usage: "git check-ignore [<options>] <pathname>..."},
		"check-ref-format": {run: checkRefFormat, anywhere: true},
		"diff-files":       {run: diffFiles, usage: "git diff-files [-q] [<options>] [<path>...]"},
		"diff-index":       {run: diffIndex, usage: "git diff-index [-m] [--cached] [<options>] <tree-ish> [<path>...]"},
		"diff-tree":        {run: diffTree, usage: "git diff-tree [<options>] <tree-ish> [<tree-ish>] [<path>...]", bare: true},
		"read-tree":        {run: readTree, usage: "git read-tree [--empty | <tree-ish>]"},
		"var":              {run: variable},
		"am":               {run: am, usage: "git am [<options>] [(<mbox> | <Maildir>)...]"},
		"format-patch":     {run: formatPatch, usage: "git format-patch [<options>] [<since> | <revision-range>]", bare: true},
		"whatchanged":      {run: whatChanged, usage: "git whatchanged [<options>] [<revision-range>] [[--] <path>...]", bare: true, pages: true},
		"worktree":         {run: worktreeCommand, usage: "git worktree <command>", bare: true},
		"remote":           {run: remote, usage: "git remote [-v | --verbose]", bare: true},
		"reset":            {run: reset, usage: "git reset [--mixed | --soft | --hard | --merge | --keep] [-q] [<commit>]"},
		"restore":          {run: restore, usage: "git restore [<options>] [--source=<branch>] <file>..."},
		"rev-parse":        {run: revParse, anywhere: true, bare: true},
		"rm":               {run: remove, usage: "git rm [-f | --force] [-n] [-r] [--cached] [--ignore-unmatch] [--quiet] [--] [<pathspec>...]"},
		"show":             {run: show, usage: "git show [<options>] <object>...", bare: true, pages: true},
		"status":           {run: status, usage: "git status [<options>] [--] [<pathspec>...]"},
		"switch":           {run: switchCommand, usage: "git switch [<options>] [<branch>]"},
		"tag":              {run: tag, usage: "git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] [-e] <tagname> [<commit>]", bare: true},
		"version":          {run: func(c *call) error { _, err := fmt.Fprintln(c.stdout, version); return err }, anywhere: true},
	}
}
