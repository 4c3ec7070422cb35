package files

import (
	"os"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// UpdateIndex goes through its arguments in order: an option counts for the files behind it.
func UpdateIndex(c *cli.Call) error {
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	u := &indexUpdate{c: c, x: x}
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		next := func() string {
			if i+1 < len(c.Args) {
				i++
				return c.Args[i]
			}
			return ""
		}
		switch name, value, _ := strings.Cut(a, "="); {
		case a == "--":
			for _, p := range c.Args[i+1:] {
				if err := u.file(p); err != nil {
					return err
				}
			}
			i = len(c.Args)
		case a == "--add":
			u.add = true
		case a == "--remove":
			u.remove = true
		case a == "--force-remove":
			u.force = true
		case a == "-q":
			u.silent = true
		case name == "--chmod":
			if value != "+x" && value != "-x" {
				return cli.Fatal("git update-index: option 'chmod' expects \"+x\" or \"-x\"")
			}
			u.mode = value
		case a == "--refresh" || a == "--really-refresh":
			if err := u.refresh(); err != nil {
				return err
			}
		case name == "--cacheinfo":
			if value == "" {
				if value = next(); strings.Count(value, ",") < 2 {
					value += "," + next() + "," + next()
				}
			}
			if err := u.info(value); err != nil {
				return err
			}
		case a == "--assume-unchanged", a == "--no-assume-unchanged", a == "--skip-worktree", a == "--no-skip-worktree",
			a == "--ignore-submodules", a == "--replace", a == "--verbose", a == "--again", a == "-g", a == "--unmerged", a == "--ignore-missing":
		case strings.HasPrefix(a, "-"):
			return &cli.Failure{Status: 129, Text: "error: unknown option `" + strings.TrimLeft(a, "-") + "'\nusage: " + c.Usage}
		default:
			if err := u.file(a); err != nil {
				return err
			}
		}
	}
	if err := x.Save(); err != nil {
		return err
	}
	if u.stale {
		return cli.Quiet(1)
	}
	return nil
}

type indexUpdate struct {
	c                          *cli.Call
	x                          *repo.Index
	add, remove, force, silent bool
	mode                       string // +x or -x for the files that follow
	stale                      bool   // whether a file differs from the index
}

func (u *indexUpdate) file(arg string) error {
	paths, outside := u.c.Repo.Paths([]string{arg})
	if outside != "" {
		return u.c.Outside(outside)
	}
	name := paths[0]
	fail := func(format string, args ...any) error {
		return &cli.Failure{Status: 128, Text: "error: " + strings.TrimPrefix(cli.Wrong(format, args...).Error(), "error: ") + "\nfatal: Unable to process path " + arg}
	}
	if !repo.ValidPath(name) {
		return fail("Invalid path '%s'", name)
	}
	if u.mode != "" {
		f, ok := u.x.Files[name]
		if !ok {
			return cli.Fatal("git update-index: cannot chmod %s '%s'", u.mode, name)
		}
		f.Mode = filemode.Regular
		if u.mode == "+x" {
			f.Mode = filemode.Executable
		}
		u.x.Put(name, f)
		return nil
	}
	info, err := os.Lstat(u.c.Repo.Path(name))
	switch {
	case u.force:
		u.x.Remove(name)
		return nil
	case err != nil && u.remove:
		u.x.Remove(name)
		return nil
	case err != nil && !u.x.Tracks(name):
		return fail("%s: does not exist and --remove not passed", name)
	case err != nil:
		return fail("%s: does not exist and --remove not passed", name)
	case info.IsDir():
		return fail("%s: is a directory - add files inside instead", name)
	case !u.x.Tracks(name) && !u.add:
		return fail("%s: cannot add to the index - missing --add option?", name)
	}
	return u.x.Add(name)
}

// info puts MODE,OBJECT,PATH into the index.
func (u *indexUpdate) info(value string) error {
	parts := strings.SplitN(value, ",", 3)
	if len(parts) < 3 {
		return cli.Fatal("git update-index: --cacheinfo expects <mode>,<sha1>,<path>")
	}
	mode, err := strconv.ParseUint(parts[0], 8, 32)
	h, ok := plumbing.FromHex(parts[1])
	name := parts[2]
	switch {
	case err != nil || !ok:
		return cli.Fatal("git update-index: --cacheinfo cannot add %s", name)
	case !repo.ValidPath(name):
		return &cli.Failure{Status: 128, Text: "error: Invalid path '" + name + "'\nfatal: git update-index: --cacheinfo cannot add " + name}
	case !u.x.Tracks(name) && !u.add:
		return &cli.Failure{Status: 128, Text: "error: " + name + ": cannot add to the index - missing --add option?\nfatal: git update-index: --cacheinfo cannot add " + name}
	}
	u.x.Put(name, repo.File{Mode: filemode.FileMode(mode), Hash: h})
	return nil
}

// refresh tells which files differ from the index.
func (u *indexUpdate) refresh() error {
	disk, err := u.x.OnDisk()
	if err != nil {
		return err
	}
	for _, name := range u.x.Names() {
		_, open := u.x.Conflicts[name]
		switch {
		case open:
			u.c.Printf("%s: needs merge\n", name)
			u.stale = true
		case disk[name] != u.x.Files[name]:
			if !u.silent {
				u.c.Printf("%s: needs update\n", name)
			}
			u.stale = true
		}
	}
	return nil
}
