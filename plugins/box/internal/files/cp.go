package files

import (
	"os"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const cpOptions = "a,archive attributes-only backup? b copy-contents d f,force i,interactive H l,link L,dereference n,no-clobber P,no-dereference " +
	"p preserve? no-preserve= parents R,r,recursive reflink? remove-destination sparse= strip-trailing-slashes s,symbolic-link " +
	"S,suffix= t,target-directory= T,no-target-directory u,update v,verbose x,one-file-system Z context?"

// copier is one run of cp, or of mv where it must copy.
type copier struct {
	asker
	backup
	recursive             bool
	follow                byte // 'L' always, 'H' operands only, 'P' never, 0: unless recursive
	mode, times, owner    bool // what is preserved
	usualMode             bool // --no-preserve=mode: not even as far as the umask lets it
	links                 bool
	force, remove         bool
	interactive, noClober bool
	update, verbose       bool
	attributesOnly        bool
	makeLink, makeSymlink bool
	parents               bool
	moving                bool
	status                int
	sources               map[sourceKey]bool // operands that were copied
	made                  map[string]bool    // what this run has created
	operand               [2]string          // what is copied, and where to
	// the directories that it is copied into: they may be in what is copied
	into       map[[2]uint64]bool
	complained bool                 // that they are
	above      []sys.Info           // the directories that lead to what is copied
	seen       map[[2]uint64]string // where files with several names went
}

func cp(env *tool.Env, args []string) int {
	opts, status := env.Options(args, cpOptions)
	if opts == nil {
		return status
	}
	c := &copier{asker: asker{env: env}}
	var t target
	for _, o := range opts.Options {
		switch o.Name {
		case "backup":
			c.backup.option("b", o.Arg)
		case "t":
			t.dir = o.Arg
		case "T":
			t.noDir = true
		default:
			c.option(o.Name, o.Arg)
		}
	}
	if c.makeLink && c.makeSymlink {
		return env.UsageError("cannot make both hard and symbolic links")
	}
	sources, dest, status := t.resolve(env, opts.Operands)
	if sources == nil {
		return status
	}
	if c.parents && !isDir(env, dest("x")[:max(len(dest("x"))-2, 0)]) {
		return env.UsageError("with --parents, the destination must be a directory")
	}
	for _, source := range sources {
		if env.Stopped() {
			break
		}
		c.copyOperand(source, dest(source))
	}
	return c.status
}

func isDir(env *tool.Env, name string) bool {
	fi, err := env.Stat(name)
	return err == nil && fi.IsDir()
}

func (c *copier) option(name, arg string) {
	switch name {
	case "a":
		c.recursive, c.follow, c.links = true, 'P', true
		c.mode, c.times, c.owner = true, true, true
	case "attributes-only":
		c.attributesOnly = true
	case "b", "S":
		c.backup.option(name, arg)
	case "d":
		c.follow, c.links = 'P', true
	case "f":
		c.force = true
	case "i":
		c.interactive, c.noClober = true, false
	case "H", "L", "P":
		c.follow = name[0]
	case "l":
		c.makeLink = true
	case "n":
		c.noClober, c.interactive = true, false
	case "p":
		c.mode, c.times, c.owner = true, true, true
	case "preserve", "no-preserve":
		c.preserve(arg, name == "preserve")
	case "parents":
		c.parents = true
	case "R":
		c.recursive = true
	case "remove-destination":
		c.remove = true
	case "s":
		c.makeSymlink = true
	case "u":
		c.update = true
	case "v":
		c.verbose = true
	}
}

// preserve turns the listed attributes on or off.
func (c *copier) preserve(list string, on bool) {
	if list == "" {
		list = "mode,ownership,timestamps"
	}
	for word := range splitSeq(list) {
		switch word {
		case "all":
			c.mode, c.owner, c.times, c.links = on, on, on, on
			c.usualMode = !on
		case "mode":
			c.mode, c.usualMode = on, !on
		case "ownership":
			c.owner = on
		case "timestamps":
			c.times = on
		case "links":
			c.links = on
		}
	}
}

// copyOperand copies one file or tree named on the command line.
func (c *copier) copyOperand(from, to string) {
	if c.parents {
		to = c.makeParents(from, to)
		if to == "" {
			return
		}
	}
	if info, err := c.look(from, true); err == nil && !info.IsDir() && !c.backup.on && info.Ino != 0 {
		key := sourceKey{info.Dev, info.Ino, baseOf(from)}
		if c.sources[key] {
			c.env.Errorf("warning: source file %s specified more than once", tool.QuoteAlways(from))
			return
		}
		if c.sources == nil {
			c.sources = map[sourceKey]bool{}
		}
		c.sources[key] = true
	}
	c.operand, c.into, c.complained = [2]string{from, to}, map[[2]uint64]bool{}, false
	c.remember(to)
	c.copy(from, to, true)
}

// remember keeps which directory copies go to.
func (c *copier) remember(dir string) {
	if fi, err := c.env.Stat(dir); err == nil && fi.IsDir() && c.into != nil {
		info := sys.Of(fi)
		c.into[[2]uint64{info.Dev, info.Ino}] = info.Ino != 0
	}
}

// A sourceKey tells whether two operands are one file.
type sourceKey struct {
	dev, ino uint64
	base     string
}

// look describes a file to be copied, itself or what it leads to.
func (c *copier) look(name string, operand bool) (sys.Info, error) {
	stat := c.env.Lstat
	if c.follow == 'L' || c.follow == 'H' && operand || c.follow == 0 && !c.recursive {
		stat = c.env.Stat
	}
	fi, err := stat(name)
	if err != nil {
		return sys.Info{}, err
	}
	return sys.Of(fi), nil
}

func (c *copier) errorf(format string, args ...any) bool {
	c.env.Errorf(format, args...)
	c.status = 1
	return false
}

// fail reports that something could not be done to a file.
func (c *copier) fail(what, name string, err error) bool {
	return c.errorf("%s %s: %s", what, tool.QuoteAlways(name), tool.Strerror(err))
}

// done remembers what was made, and tells if that was asked for.
func (c *copier) done(from, to string, kept string) {
	if c.made == nil {
		c.made = map[string]bool{}
	}
	c.made[c.env.Path(to)] = true
	if !c.verbose {
		return
	}
	line := tool.QuoteAlways(from) + " -> " + tool.QuoteAlways(to)
	if kept != "" {
		line += " (backup: " + tool.QuoteAlways(kept) + ")"
	}
	if c.moving {
		line = "copied " + line
	}
	c.env.Out.WriteString(line + "\n")
}

// attributes gives a copy what is to be preserved.
func (c *copier) attributes(to string, info sys.Info) {
	path := c.env.Path(to)
	if c.owner && sys.HasOwners {
		// For a user who isn't root it fails, and cp does not mind.
		os.Lchown(path, int(info.Uid), int(info.Gid))
	}
	if info.IsLink() {
		if c.times {
			sys.Lchtimes(path, info.Atime, info.Mtime)
		}
		return
	}
	if c.mode {
		c.env.Chmod(to, info.Mode&0o7777)
	}
	if c.times {
		os.Chtimes(path, info.Atime, info.Mtime)
	}
}
