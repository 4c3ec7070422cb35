package files

import (
	"os"
	"path"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const duOptions = "a,all apparent-size B,block-size= b,bytes c,total D,dereference-args H d,max-depth= files0-from= h,human-readable inodes k " +
	"L,dereference l,count-links m P,no-dereference S,separate-dirs si s,summarize t,threshold= time? time-style= 0,null x,one-file-system " +
	"X,exclude-from= exclude="

// duRun is one run of du.
type duRun struct {
	env      *tool.Env
	all      bool
	apparent bool
	follow   bool
	operands bool // links named on the command line are followed
	twice    bool // files with several names count for each
	separate bool
	inodes   bool
	depth    int
	unit     int64
	base     int64
	end      string
	exclude  []string
	seen     map[[2]uint64]bool
	status   int
}

func du(env *tool.Env, args []string) int {
	opts, status := env.Options(args, duOptions)
	if opts == nil {
		return status
	}
	d := &duRun{env: env, depth: 1 << 30, unit: 1024, end: "\n", seen: map[[2]uint64]bool{}}
	summarize := opts.Has("s")
	for _, o := range opts.Options {
		switch o.Name {
		case "a":
			d.all = true
		case "apparent-size":
			d.apparent = true
		case "B":
			n, _, ok := sys.ParseBlockSize(o.Arg)
			if !ok {
				env.Errorf("invalid --block-size argument '%s'", o.Arg)
				return 1
			}
			d.unit, d.base = n, 0
		case "b":
			d.apparent, d.unit, d.base = true, 1, 0
		case "D", "H":
			d.operands = true
		case "d":
			n, err := strconv.Atoi(o.Arg)
			if err != nil || n < 0 {
				return env.UsageError("invalid maximum depth %s", env.Quote(o.Arg))
			}
			d.depth = n
		case "h":
			d.base = 1024
		case "si":
			d.base = 1000
		case "inodes":
			d.inodes = true
		case "k":
			d.unit, d.base = 1024, 0
		case "m":
			d.unit, d.base = 1<<20, 0
		case "L":
			d.follow = true
		case "l":
			d.twice = true
		case "S":
			d.separate = true
		case "0":
			d.end = "\x00"
		case "exclude":
			d.exclude = append(d.exclude, o.Arg)
		}
	}
	if summarize && d.all {
		return env.UsageError("cannot both summarize and show all entries")
	}
	if summarize {
		d.depth = 0
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"."}
	}
	total := int64(0)
	for _, name := range names {
		total += d.walk(name, 0)
	}
	if opts.Has("c") {
		d.write(total, "total")
	}
	return d.status
}

// walk adds up a file or a tree, and shows what was asked for.
func (d *duRun) walk(name string, depth int) int64 {
	if d.env.Stopped() {
		return 0
	}
	look := d.env.Lstat
	if d.follow || d.operands && depth == 0 {
		look = d.env.Stat
	}
	fi, err := look(name)
	if err != nil {
		d.env.Errorf("cannot access %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
		d.status = 1
		return 0
	}
	info := sys.Of(fi)
	key := [2]uint64{info.Dev, info.Ino}
	if (info.Nlink > 1 && !d.twice || info.IsDir()) && info.Ino != 0 {
		if d.seen[key] {
			return 0
		}
		d.seen[key] = true
	}
	size := d.size(info)
	if !info.IsDir() {
		if d.all && depth <= d.depth || depth == 0 {
			d.write(size, name)
		}
		return size
	}
	entries, err := os.ReadDir(d.env.Path(name))
	if err != nil {
		d.env.Errorf("cannot read directory %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
		d.status = 1
	}
	own := size
	for _, e := range entries {
		if d.excluded(e.Name()) {
			continue
		}
		n := d.walk(join(name, e.Name()), depth+1)
		size += n
		if !e.IsDir() {
			own += n
		}
	}
	shown := size
	if d.separate {
		shown = own
	}
	if depth <= d.depth {
		d.write(shown, name)
	}
	return size
}

func (d *duRun) size(i sys.Info) int64 {
	switch {
	case d.inodes:
		return 1
	case !d.apparent:
		return i.Blocks * 512
	case i.IsDir() && !sys.HasOwners:
		return 0
	}
	return i.Size
}

func (d *duRun) excluded(name string) bool {
	for _, pattern := range d.exclude {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

func (d *duRun) write(n int64, name string) {
	text := ""
	switch {
	case d.inodes:
		text = strconv.FormatInt(n, 10)
	case d.base > 0:
		text = sys.Human(n, d.base)
	default:
		text = strconv.FormatInt((n+d.unit-1)/d.unit, 10)
	}
	d.env.Out.WriteString(text + "\t" + name + d.end)
}
