package hostwasm

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// direct returns the module that does what e names by the name of a command, or nil
// where e names a file: the one that stands for the command's own, where it can. env
// is what e gets of variables, and dir its current directory.
func (h *Host) direct(ctx context.Context, tree *vfs.Tree, e core.Exec, env []string, dir string) *Module {
	own := h.named(e.Path)
	if own == nil {
		return nil
	}
	name := path.Base(e.Path)
	d := own.Direct[name]
	if d == nil || !plain(name, e.Argv, env) || !slices.Contains(env, "PWD="+dir) || !physical(ctx, tree, dir) {
		return own
	}
	return d
}

// plain reports whether a command is called by its name, without options, and
// without what changes the meaning of all else.
func plain(name string, args, env []string) bool {
	isOption := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	isPosix := func(kv string) bool { return strings.HasPrefix(kv, "POSIXLY_CORRECT=") }
	return (args[0] == name || strings.HasSuffix(args[0], "/"+name)) &&
		!slices.ContainsFunc(args[1:], isOption) && !slices.ContainsFunc(env, isPosix)
}

// physical reports whether a directory can be opened, and there is no link in its name.
func physical(ctx context.Context, tree *vfs.Tree, dir string) bool {
	f, found, err := tree.Open(vfs.Path{Dir: "/", Name: dir, Follow: true, Wait: until(ctx)}, vfs.How{Read: true, Directory: true})
	if err != nil {
		return false
	}
	f.Close()
	return found == dir
}
