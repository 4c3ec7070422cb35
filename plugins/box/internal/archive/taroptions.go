package archive

import (
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/compress"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

// tarOptions are those that are known. Many of them change nothing here: owners, access lists and
// tapes.
const tarOptions = "- A,catenate,concatenate c,create d,diff,compare delete r,append t,list u,update x,extract,get " +
	"f,file= C,directory= v,verbose b,blocking-factor= record-size= " +
	"z,gzip,gunzip,ungzip J,xz j,bzip2 a,auto-compress no-auto-compress I,use-compress-program= zstd lzma lzip lzop Z,compress,uncompress " +
	"k,keep-old-files skip-old-files keep-newer-files overwrite U,unlink-first recursive-unlink overwrite-dir no-overwrite-dir " +
	"keep-directory-symlink one-top-level? O,to-stdout m,touch strip-components= transform,xform= show-transformed-names,show-stored-names " +
	"p,preserve-permissions,same-permissions no-same-permissions same-owner no-same-owner s,preserve-order,same-order o old-archive,portability " +
	"P,absolute-names h,dereference hard-dereference S,sparse n,seek no-seek i,ignore-zeros remove-files sort= format= H= posix V,label= " +
	"T,files-from= null no-null verbatim-files-from no-verbatim-files-from unquote no-unquote add-file= " +
	"X,exclude-from= exclude= exclude-vcs exclude-backups exclude-caches exclude-tag= anchored no-anchored ignore-case no-ignore-case " +
	"wildcards no-wildcards wildcards-match-slash no-wildcards-match-slash no-recursion recursion occurrence? " +
	"owner= group= mode= mtime= numeric-owner N,newer,after-date= newer-mtime= one-file-system ignore-failed-read atime-preserve? " +
	"full-time utc R,block-number totals? checkpoint? checkpoint-action= warning= quoting-style= W,verify l,check-links w,interactive,confirmation " +
	"xattrs no-xattrs acls no-acls selinux no-selinux delay-directory-restore no-delay-directory-restore force-local " +
	"help usage version"

// oldWithArgument are the letters that take an argument, for the first word of a command line
// without a dash.
const oldWithArgument = "bfCHINTVX"

// The statuses of tar.
const (
	tarDiffers = 1
	tarTrouble = 2
	tarUsage   = 64
)

// A verb is what tar is to do.
type verb string

const (
	create  verb = "c"
	appendV verb = "r"
	update  verb = "u"
	concat  verb = "A"
	list    verb = "t"
	extract verb = "x"
	compare verb = "d"
	remove  verb = "delete"
)

// writes reports whether files are put into an archive.
func (v verb) writes() bool { return v == create || v == appendV || v == update }

// A step is an operand, with what the options before it say of it.
type step struct {
	name     string
	dir      string // where it is
	excludes []pattern
	flat     bool // directories without what is in them
}

// oldStyle turns "xzf a.tgz" into "-x -z -f a.tgz". It returns the letter that lacks its argument,
// if one does.
func oldStyle(args []string) (dashed []string, lacks byte) {
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' {
		return args, 0
	}
	rest := args[1:]
	for i := range len(args[0]) {
		c := args[0][i]
		dashed = append(dashed, "-"+string(c))
		if strings.IndexByte(oldWithArgument, c) < 0 {
			continue
		}
		if len(rest) == 0 {
			return nil, c
		}
		dashed = append(dashed, rest[0])
		rest = rest[1:]
	}
	return append(dashed, rest...), 0
}

// configure reads the options. It returns false if the command is over, with j.status.
func (j *job) configure(opts []option.Option) bool {
	late := ""
	c := step{}
	matching := pattern{wild: true}
	for _, o := range opts {
		switch o.Name {
		case "":
			c.name = unquote(o.Arg)
			j.steps = append(j.steps, c)
			late = ""
			continue
		case "c", "r", "u", "A", "t", "x", "d", "delete":
			if j.verb != "" && j.verb != verb(o.Name) {
				j.env.Errorf("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
				j.status = j.tryHelp(tarTrouble)
				return false
			}
			j.verb = verb(o.Name)
			continue
		case "C":
			late += "\n-C " + j.env.Quote(o.Arg) + " has no effect"
			c.dir = join(c.dir, o.Arg)
			continue
		case "exclude":
			late += "\n--exclude " + j.env.Quote(o.Arg) + " has no effect"
			c.excludes = append(c.excludes[:len(c.excludes):len(c.excludes)], matching.with(o.Arg))
			continue
		case "X", "exclude-vcs", "exclude-backups":
			lines, err := j.excludeLines(o)
			if err != nil {
				j.fatal("%s: Cannot open: %s", o.Arg, strerror(err))
				return false
			}
			c.excludes = c.excludes[:len(c.excludes):len(c.excludes)]
			for _, line := range lines {
				c.excludes = append(c.excludes, matching.with(line))
			}
			continue
		case "anchored", "no-anchored":
			matching.anchored = o.Name == "anchored"
			continue
		case "ignore-case", "no-ignore-case":
			matching.fold = o.Name == "ignore-case"
			continue
		case "wildcards", "no-wildcards":
			matching.wild = o.Name == "wildcards"
			j.wildcards = matching.wild
			j.literal = !matching.wild
			continue
		case "no-recursion", "recursion":
			c.flat = o.Name == "no-recursion"
			j.flat = c.flat
			continue
		case "null":
			j.null = true
			continue
		case "T":
			if !j.filesFrom(o.Arg, &c) {
				return false
			}
			late = ""
			continue
		case "add-file":
			c.name = o.Arg
			j.steps = append(j.steps, c)
			continue
		}
		if !j.set(o) {
			return false
		}
	}
	j.dir, j.excludes, j.fold = c.dir, c.excludes, matching.fold
	if late != "" && j.verb.writes() && len(j.steps) > 0 {
		lines := strings.Split(late[1:], "\n")
		j.errorf("The following options were used after any non-optional arguments in archive create or update mode.  " +
			"These options are positional and affect only arguments that follow them.  Please, rearrange them properly.")
		for _, line := range lines {
			j.errorf("%s", line)
		}
	}
	return true
}

// set applies an option to which it does not matter where it stands.
func (j *job) set(o option.Option) bool {
	switch o.Name {
	case "f":
		j.archive = o.Arg
	case "v":
		j.verbose++
	case "z":
		j.format, j.explicit = compress.Gzip, true
	case "J":
		j.format, j.explicit = compress.XZ, true
	case "j":
		j.format, j.explicit = compress.Bzip2, true
	case "I":
		return j.setProgram(strings.Fields(o.Arg + " ")[:1])
	case "zstd", "lzma", "lzip", "lzop", "Z":
		if o.Name == "Z" {
			o.Name = "compress"
		}
		return j.setProgram([]string{o.Name})
	case "b", "record-size":
		n, err := strconv.Atoi(o.Arg)
		if o.Name == "record-size" {
			n /= blockSize
		}
		if err != nil || n < 1 || n > 1<<20 {
			j.fatal("Invalid blocking factor")
			return false
		}
		j.record = int64(n) * blockSize
	case "strip-components":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n < 0 {
			j.fatal("%s: Invalid number of elements", o.Arg)
			return false
		}
		j.strip = n
	case "transform":
		t, err := parseTransform(o.Arg)
		if err != nil {
			j.fatal("Invalid transform expression: %v", err)
			return false
		}
		j.transforms = append(j.transforms, t)
	case "one-top-level":
		j.oneTop, j.top = true, o.Arg
	case "owner", "group":
		j.setOwner(o)
	case "mode":
		mode, ok := sys.ParseMode(o.Arg, j.env.Umask())
		if !ok {
			j.fatal("Invalid mode given on option")
			return false
		}
		j.mode = mode
	case "mtime", "N", "newer-mtime":
		return j.setTime(o)
	case "format", "H":
		return j.setFormat(o.Arg)
	case "posix":
		return j.setFormat("posix")
	case "occurrence":
		j.occurrence = 1
		if o.Set {
			j.occurrence, _ = strconv.Atoi(o.Arg)
		}
	case "o", "old-archive", "l", "s", "n", "p", "W", "w", "R":
	default:
		j.flags[o.Name] = true
	}
	if o.Name == "p" {
		j.flags["p"] = true
	}
	return true
}

// setProgram takes the name of a compressor.
func (j *job) setProgram(words []string) bool {
	name := ""
	if len(words) > 0 {
		name = words[0]
	}
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "gzip", "pigz":
		j.format = compress.Gzip
	case "xz", "pixz":
		j.format = compress.XZ
	case "bzip2", "pbzip2", "lbzip2":
		j.format = compress.Bzip2
	default:
		j.fatal("%s: not in this sandbox: use gzip (-z) or xz (-J)", name)
		return false
	}
	j.explicit = true
	return true
}

// setOwner takes NAME, NAME:ID or an ID.
func (j *job) setOwner(o option.Option) {
	name, number, has := strings.Cut(o.Arg, ":")
	id, err := strconv.ParseUint(name, 10, 32)
	if !has && err == nil {
		number, has = name, true
		name = sys.UserName(uint32(id))
		if o.Name == "group" {
			name = sys.GroupName(uint32(id))
		}
	}
	w := &who{name: name, id: -1}
	if has {
		if n, err := strconv.ParseUint(number, 10, 32); err == nil {
			w.id = int(n)
		}
	}
	if w.id < 0 {
		if uid, _, ok := sys.UserID(name); ok && o.Name == "owner" {
			w.id = int(uid)
		}
		if gid, ok := sys.GroupID(name); ok && o.Name == "group" {
			w.id = int(gid)
		}
	}
	if o.Name == "owner" {
		j.owner = w
		return
	}
	j.group = w
}

func (j *job) setTime(o option.Option) bool {
	t, ok := clock.Parse(o.Arg, time.Now().In(clock.Zone(j.env)))
	if strings.HasPrefix(o.Arg, "/") || strings.HasPrefix(o.Arg, ".") {
		fi, err := j.env.Stat(o.Arg)
		if err != nil {
			j.fatal("%s: Cannot stat: %s", o.Arg, strerror(err))
			return false
		}
		t, ok = fi.ModTime(), true
	}
	if !ok {
		j.env.Errorf("Invalid date %s", j.env.Quote(o.Arg))
		j.status = j.tryHelp(tarTrouble)
		return false
	}
	if o.Name == "mtime" {
		j.mtime = t
		return true
	}
	j.newer = t
	return true
}
