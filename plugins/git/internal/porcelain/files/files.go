// Package files has the commands that are about files in the index and the working tree: add, mv,
// rm, clean, ls-files, update-index and check-ignore.
package files

import (
	"os"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func LsFiles(c *cli.Call) error {
	o, err := c.Parse("c,cached d,deleted m,modified o,others i,ignored s,stage u,unmerged z t k,killed v eol f exclude-standard exclude= full-name error-unmatch directory no-empty-directory deduplicate")
	if err != nil {
		return err
	}
	paths, outside := c.Repo.Paths(o.Rest())
	if outside != "" {
		return c.Outside(outside)
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	end, show := "\n", c.Show
	if o.Has("full-name") {
		show = cli.Quote
	}
	if o.Has("z") {
		end, show = "\x00", func(name string) string { return cli.Relative(c.Repo.Prefix, name) }
	}
	list := func(names []string) {
		for _, name := range names {
			if paths.Match(name) && strings.HasPrefix(name, c.Repo.Prefix) {
				c.Printf("%s%s", show(name), end)
			}
		}
	}
	if o.Has("error-unmatch") {
		for i := range paths {
			if !cli.Matches(paths, i, x.Names()) {
				return cli.Wrong("pathspec '%s' did not match any file(s) known to git\nDid you forget to 'git add'?", o.Rest()[i])
			}
		}
	}
	if o.Has("o") {
		names, err := x.Untracked(true)
		if o.Has("i") {
			names, err = x.Ignored(true)
		}
		if err != nil {
			return err
		}
		list(names)
	}
	if o.Has("m") || o.Has("d") {
		disk, err := x.OnDisk()
		if err != nil {
			return err
		}
		for _, ch := range change.Compare(x.Files, disk, nil) {
			if o.Has("m") || ch.Status == 'D' {
				list([]string{ch.New})
			}
		}
	}
	if o.Has("k") {
		// Files never stand where a directory has to go: what was there went when the index did.
		return nil
	}
	stages := o.Has("s") || o.Has("u")
	if !stages && !o.Has("c") && (o.Has("o") || o.Has("m") || o.Has("d")) {
		return nil
	}
	for _, name := range x.Names() {
		if !paths.Match(name) || !strings.HasPrefix(name, c.Repo.Prefix) {
			continue
		}
		sides := append([]repo.File{x.Files[name]}, make([]repo.File, 3)...)
		if conflict, open := x.Conflicts[name]; open {
			sides = append(sides[:1], conflict[:]...)
		} else if o.Has("u") {
			continue
		}
		for stage, f := range sides {
			if f == (repo.File{}) {
				continue
			}
			if o.Has("t") {
				c.Printf("%s ", map[bool]string{true: "H", false: "M"}[stage == 0])
			}
			if stages {
				c.Printf("%06o %s %d\t", uint32(f.Mode), f.Hash, stage)
			}
			c.Printf("%s%s", show(name), end)
		}
	}
	return nil
}

func Remove(c *cli.Call) error {
	o, err := c.Parse("r f,force cached q,quiet n,dry-run ignore-unmatch")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return cli.Fatal("No pathspec was given. Which files should I remove?")
	}
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return c.Outside(outside)
	}
	s, err := status.Read(c, paths, false, true)
	if err != nil {
		return err
	}
	var names []string
	for i, p := range paths {
		found := false
		for _, name := range s.Index.Names() {
			if !paths.MatchOne(i, name) {
				continue
			}
			found = true
			if name != p && !o.Has("r") && !strings.ContainsAny(p, "*?[") {
				return cli.Fatal("not removing '%s' recursively without -r", args[i])
			}
			names = append(names, name)
		}
		if !found && !o.Has("ignore-unmatch") {
			return cli.Fatal("pathspec '%s' did not match any files", args[i])
		}
	}
	if !o.Has("f") {
		if err := unsafe(s, names, o.Has("cached")); err != nil {
			return err
		}
	}
	for _, name := range names {
		if !o.Has("q") {
			c.Printf("rm '%s'\n", name)
		}
		if o.Has("n") {
			continue
		}
		s.Index.Remove(name)
		if o.Has("cached") {
			continue
		}
		if err := c.Repo.RemoveDisk(name); err != nil {
			return err
		}
	}
	if o.Has("n") {
		return nil
	}
	return s.Index.Save()
}

// unsafe fails if files have changes that are nowhere else.
func unsafe(s *status.State, names []string, cached bool) error {
	var staged, local, both []string
	for _, name := range names {
		if _, open := s.Index.Conflicts[name]; open {
			continue
		}
		f := s.Index.Files[name]
		disk, exists := s.Disk[name]
		changed, new := exists && disk != f, s.Head[name] != f
		switch {
		case changed && new:
			both = append(both, name)
		case cached || !exists:
		case new:
			staged = append(staged, name)
		case changed:
			local = append(local, name)
		}
	}
	var b strings.Builder
	for _, kind := range []struct {
		names []string
		what  string
		hint  string
	}{
		{both, "staged content different from both the\nfile and the HEAD:", "(use -f to force removal)"},
		{staged, "changes staged in the index:", "(use --cached to keep the file, or -f to force removal)"},
		{local, "local modifications:", "(use --cached to keep the file, or -f to force removal)"},
	} {
		if len(kind.names) == 0 {
			continue
		}
		have := "file has "
		if len(kind.names) > 1 {
			have = "files have "
		}
		b.WriteString("error: the following " + have + kind.what + "\n    " + strings.Join(kind.names, "\n    ") + "\n" + kind.hint + "\n")
	}
	if b.Len() > 0 {
		return &cli.Failure{Status: 1, Text: b.String()}
	}
	return nil
}

func Move(c *cli.Call) error {
	o, err := c.Parse("f,force n,dry-run v,verbose k")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) < 2 {
		return &cli.Failure{Status: 129, Text: "usage: " + c.Usage}
	}
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return c.Outside(outside)
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	last := paths[len(paths)-1]
	info, err := os.Stat(c.Repo.Path(last))
	into := err == nil && info.IsDir()
	if len(args) > 2 && !into {
		return cli.Fatal("destination '%s' is not a directory", args[len(args)-1])
	}
	for _, from := range paths[:len(paths)-1] {
		to := last
		if into {
			to = path.Join(last, path.Base(from))
		}
		if err := moveOne(c, x, from, to, o.Has("f")); err != nil {
			return err
		}
	}
	return x.Save()
}

func moveOne(c *cli.Call, x *repo.Index, from, to string, force bool) error {
	_, tracked := x.Files[from]
	_, err := os.Lstat(c.Repo.Path(from))
	bad := ""
	switch {
	case err != nil:
		bad = "bad source"
	case !tracked && !x.Files.HasDir(from):
		bad = "not under version control"
	}
	if _, err := os.Lstat(c.Repo.Path(to)); bad == "" && err == nil && !force {
		bad = "destination exists"
	}
	if bad != "" {
		return cli.Fatal("%s, source=%s, destination=%s", bad, from, to)
	}
	if err := os.Rename(c.Repo.Path(from), c.Repo.Path(to)); err != nil {
		return cli.Fatal("renaming '%s' failed: %s", from, cli.Reason(err))
	}
	for _, name := range x.Files.Names() {
		rest, below := strings.CutPrefix(name, from+"/")
		f := x.Files[name]
		switch {
		case name == from:
			x.Remove(name)
			x.Put(to, f)
		case below:
			x.Remove(name)
			x.Put(to+"/"+rest, f)
		}
	}
	return nil
}
