package hostwasm

import (
	"context"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// shells run lines, the first of them that there is.
var shells = []string{"bash", "sh"}

// Resolve finds out what c means here. With arguments, c.Command is executed
// literally: the name of a command, or the path of a module in the files that
// were handed over. Without, it is executed if it is one of these; otherwise
// it is a line for the shell, if there is one. Exec.Path is a guest's path.
//
// An error about the command or its directory is a *core.HostError.
func (h *Host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	if err := ctx.Err(); err != nil {
		return core.Exec{}, err
	}
	terms, _, err := h.bounds(c.Bounds)
	if err != nil {
		return core.Exec{}, err
	}
	e, err := within(ctx, h.left, func() (core.Exec, error) { return h.resolve(ctx, c) }, func(core.Exec) {})
	if err == nil {
		e.Terms = terms
	}
	return e, err
}

// bounds is Config.Bounds.
func (h *Host) bounds(b *core.Bounds) (terms string, fetches bool, err error) {
	if h.config.Bounds == nil {
		return "", h.config.HTTP != nil, b.Unsupported()
	}
	terms, fetches, err = h.config.Bounds(b)
	return terms, fetches && h.config.HTTP != nil, err
}

// fetches reports whether c may fetch by HTTP.
func (h *Host) fetches(c core.Command) (bool, error) {
	_, fetches, err := h.bounds(c.Bounds)
	return fetches && !h.config.Deterministic, err
}

func (h *Host) resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	tree, err := h.tree(c)
	if err != nil {
		return core.Exec{}, err
	}
	defer tree.Close()
	if c.Cwd, err = h.dir(ctx, tree, c); err != nil {
		return core.Exec{}, err
	}
	file, err := h.lookup(ctx, tree, c.Cwd, c.Command)
	switch {
	case len(c.Args) > 0 && err != nil:
		return core.Exec{}, err
	case len(c.Args) > 0:
		return core.Exec{Command: c, Path: file, Argv: append([]string{c.Command}, c.Args...), Via: core.ViaArgs}, nil
	case err == nil:
		return core.Exec{Command: c, Path: file, Argv: []string{c.Command}, Via: core.ViaFile}, nil
	}
	for _, shell := range shells {
		if h.config.Commands[shell] != nil {
			return core.Exec{
				Command: c, Path: binDir + shell, Argv: []string{shell, "-c", c.Command}, Via: core.ViaShell,
			}, nil
		}
	}
	return core.Exec{}, err
}

// binDir is where the commands are in every tree.
const binDir = "/bin/"

// lookup returns the path of what name starts from dir: a command, or a module
// in the tree.
func (h *Host) lookup(ctx context.Context, tree *vfs.Tree, dir, name string) (string, error) {
	if !strings.Contains(name, "/") {
		if h.config.Commands[name] == nil {
			return "", refuse(opExec, name, errNoCommand)
		}
		return binDir + name, nil
	}
	if h.named(join(dir, name)) != nil {
		return join(dir, name), nil
	}
	file, found, err := tree.Open(vfs.Path{Dir: dir, Name: name, Follow: true, Wait: until(ctx)}, vfs.How{Read: true})
	if err != nil {
		return "", refuse(opExec, name, err)
	}
	defer file.Close()
	if err := checkModule(file); err != nil {
		return "", refuse(opExec, name, err)
	}
	return found, nil
}

// commandFile is what is in /bin/NAME: a line that names the module, so that a
// shell knows which commands are its own.
func (h *Host) commandFile(name string) []byte {
	return []byte("#!terrarium " + printable(h.config.Commands[name].Name) + "\n")
}

// named returns the module of a command by its path: /bin/NAME, and for
// scripts that insist, /usr/bin/NAME or /usr/local/bin/NAME.
func (h *Host) named(file string) *Module {
	dir, name := path.Split(file)
	if dir != binDir && dir != "/usr/bin/" && dir != "/usr/local/bin/" {
		return nil
	}
	return h.config.Commands[name]
}

// magic begins every module of WebAssembly, version 1.
const magic = "\x00asm\x01\x00\x00\x00"

// checkModule says why file can't be a command.
func checkModule(file vfs.File) error {
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	if stat.Type == vfs.Directory {
		return errDirectory
	}
	if stat.Mode != 0 && stat.Mode&0o111 == 0 {
		return errno.ACCES
	}
	var head [len(magic)]byte
	n, err := file.ReadAt(head[:], 0)
	if err != nil {
		return err
	}
	if string(head[:n]) != magic {
		return errNoModule
	}
	return nil
}

// join returns name as an absolute path from dir, without looking at links.
func join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
