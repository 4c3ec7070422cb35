// Package remotes has what is about other repositories, in directories and on servers: clone,
// fetch, pull, push, ls-remote and remote.
package remotes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Clone copies another repository.
func Clone(c *cli.Call) error {
	o, err := c.Parse("q,quiet b,branch= l,local no-hardlinks depth= single-branch no-single-branch n,no-checkout no-tags v,verbose progress no-progress")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return &cli.Failure{Status: 129, Text: "fatal: You must specify a repository to clone.\n\nusage: " + c.Usage}
	}
	k := &cloning{c: c, o: o, source: args[0]}
	if o.Has("depth") {
		if k.depth, err = strconv.Atoi(o.Arg("depth")); err != nil || k.depth < 1 {
			return cli.Fatal("depth %s is not a positive number", o.Arg("depth"))
		}
	}
	path, isFile := strings.CutPrefix(args[0], "file://")
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(strings.TrimSuffix(strings.TrimRight(path, "/"), "/.git")), ".git"), "/")
	if len(args) > 1 {
		name = args[1]
	}
	if k.end, err = open(c, args[0]); err != nil {
		if _, gone := os.Stat(path); gone != nil && (isFile || schemeOf(args[0]) == "") {
			return cli.Fatal("repository '%s' does not exist", args[0])
		}
		return err
	}
	if _, ok := k.end.(*local); ok && !isFile && !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return err
		}
		k.source = wd + "/" + strings.TrimRight(path, "/")
	}
	switch {
	// It would be the current directory, which a clone that fails removes.
	case name == "" && len(args) > 1:
		return cli.Fatal("could not create work tree dir '': No such file or directory")
	case name == "":
		return cli.Fatal("No directory name could be guessed.\nPlease specify a directory on the command line")
	}
	_, gone := os.Stat(name)
	if entries, err := os.ReadDir(name); gone == nil && (err != nil || len(entries) > 0) {
		return cli.Fatal("destination path '%s' already exists and is not an empty directory.", name)
	}
	if !o.Has("q") {
		fmt.Fprintf(c.Stderr, "Cloning into '%s'...\n", name)
	}
	top, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	if err := k.run(top); err != nil {
		if gone != nil && !k.whole {
			os.RemoveAll(top) // nothing half there
		}
		return err
	}
	return nil
}

// A cloning is a clone as it is made.
type cloning struct {
	c      *cli.Call
	o      *option.Result
	source string // as the configuration names it
	end    endpoint
	depth  int
	whole  bool // whether all objects and references are here
}

// run makes the clone in top.
func (k *cloning) run(top string) error {
	c := k.c
	there, err := k.end.advertised(false)
	if err != nil {
		return err
	}
	branch := strings.TrimPrefix(there.head, "refs/heads/")
	if k.o.Has("b") {
		branch = k.o.Arg("b")
		if _, ok := there.find("refs/heads/" + branch); !ok {
			return cli.Fatal("Remote branch %s not found in upstream origin", branch)
		}
	}
	head, _ := there.find("HEAD")
	if r, ok := there.find("refs/heads/" + branch); ok {
		head = r
	}
	first := branch
	if first == "" && len(there.refs) == 0 {
		first = "master"
	}
	dir := filepath.Join(top, ".git")
	if err := repo.Create(dir, first, false); err != nil {
		return err
	}
	from, isLocal := k.end.(*local)
	if isLocal {
		if err := repo.CopyObjects(dir, from.r.Common); err != nil {
			return err
		}
	}
	r, err := repo.Open(top, dir, "")
	if err != nil {
		return err
	}
	c.Repo = r
	one := branch != "" && (k.o.Has("single-branch") || k.depth > 0 && !isLocal && !k.o.Has("no-single-branch"))
	spec := "+refs/heads/*:refs/remotes/origin/*"
	if one {
		spec = "+refs/heads/" + branch + ":refs/remotes/origin/" + branch
	}
	for _, s := range []repo.Setting{{Key: "remote.origin.url", Value: k.source}, {Key: "remote.origin.fetch", Value: spec}} {
		if _, err := r.Config.Set(s.Key, s.Value, false, false); err != nil {
			return err
		}
	}
	if err := k.references(there, parseRefspec(spec), head.h); err != nil {
		return err
	}
	k.whole = true
	if head.h == repo.Zero {
		fmt.Fprintln(c.Stderr, "warning: You appear to have cloned an empty repository.")
		if first != "" {
			return checkout.Follow(c, first) // so that the first push needs no more words
		}
		return nil
	}
	why := "clone: from " + withoutPassword(k.source)
	if branch == "" {
		err = r.Detach(head.h)
	} else {
		err = errors.Join(r.SetTarget("refs/remotes/origin/HEAD", "refs/remotes/origin/"+branch), checkout.Track(c, branch))
	}
	if err != nil {
		return err
	}
	if !k.o.Has("n") {
		if err := checkout.Move(c, head.h, "checkout", true); err != nil {
			return err
		}
	}
	if !k.o.Has("q") && isLocal {
		fmt.Fprintln(c.Stderr, "done.")
	}
	return r.LogHead(repo.Zero, why)
}

// references brings the objects where they are not here, and notes where the branches are.
func (k *cloning) references(there *advertisement, spec refspec, head plumbing.Hash) error {
	var wants []plumbing.Hash
	set := map[string]plumbing.Hash{}
	for _, a := range there.refs {
		if dst, ok := spec.mapped(a.name); ok && safeRef(dst) {
			set[dst] = a.h
			wants = append(wants, a.h)
		}
		if strings.HasPrefix(a.name, "refs/tags/") && !k.o.Has("no-tags") {
			set[a.name] = a.h
			if k.depth == 0 {
				wants = append(wants, a.h)
			}
		}
	}
	if head != repo.Zero {
		wants = append(wants, head)
	}
	r := k.c.Repo
	seen := map[plumbing.Hash]bool{}
	missing := wants[:0]
	for _, h := range wants {
		if !seen[h] && !r.Has(h) {
			missing = append(missing, h)
		}
		seen[h] = true
	}
	if len(missing) > 0 {
		if err := k.end.fetch(r, missing, k.depth); err != nil {
			return err
		}
	}
	for name, h := range set {
		if !r.Has(h) {
			continue // a tag of what a clone with a depth leaves out
		}
		if err := r.SetRef(name, h); err != nil {
			return err
		}
	}
	return nil
}
