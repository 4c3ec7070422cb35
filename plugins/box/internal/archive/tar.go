package archive

import (
	"archive/tar"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/compress"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const (
	blockSize = 512

	// defaultRecord is what an archive's size is a multiple of: 20 blocks.
	defaultRecord = 20 * blockSize
)

// A job is one run of tar.
type job struct {
	env    *tool.Env
	status int
	failed bool // there were errors; the last message says so

	verb       verb
	archive    string // "-" is a stream
	format     compress.Format
	explicit   bool // format was asked for
	tarFormat  tar.Format
	verbose    int
	record     int64 // in bytes
	steps      []step
	dir        string // where to extract
	excludes   []pattern
	wildcards  bool // members are patterns
	literal    bool // --no-wildcards was given
	fold, flat bool
	null       bool // names end with NUL
	strip      int
	transforms []transform
	oneTop     bool
	top        string
	occurrence int
	owner      *who
	group      *who
	mode       func(uint32) uint32
	mtime      time.Time
	newer      time.Time
	flags      map[string]bool // options that are just on

	fromFile bool // operands came from a file, so that there may be none

	zone   *time.Location
	users  map[names]string // of userName
	log    io.Writer        // where names go
	width  int              // of owner and size in a listing, so far
	told   map[string]bool
	warned bool // of patterns
}

// who is an owner or a group to write instead of the file's. An id below 0 is the file's.
type who struct {
	name string
	id   int
}

// errTold ends what was already complained about.
var errTold = errors.New("told")

func tarCommand(env *tool.Env, args []string) int {
	env.Name = "tar"
	j := &job{
		env: env, archive: "-", record: defaultRecord, tarFormat: tar.FormatGNU, flags: map[string]bool{}, told: map[string]bool{},
		zone: clock.Zone(env), width: 19, log: env.Out,
	}
	dashed, lacks := oldStyle(args[1:])
	if lacks != 0 {
		env.Errorf("Old option '%c' requires an argument.", lacks)
		return j.tryHelp(tarTrouble)
	}
	opts, err := option.Parse(dashed, tarOptions)
	if err != nil {
		env.Errorf("%v", err)
		return j.tryHelp(tarUsage)
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "help", "usage":
			env.Help()
			return 0
		case "version":
			env.Version()
			return 0
		}
	}
	if !j.configure(opts.Options) {
		return j.status
	}
	if err := j.run(); err != nil {
		return tarTrouble
	}
	if j.failed {
		env.Errorf("Exiting with failure status due to previous errors")
		return tarTrouble
	}
	return j.status
}

func (j *job) run() error {
	if j.flags["utc"] {
		j.zone = time.UTC
	}
	if j.archive == "-" && j.verb.writes() || j.flags["O"] {
		j.log = j.env.Stderr
	}
	if j.flags["a"] && !j.explicit && j.verb == create {
		j.format = formatOf(j.archive)
	}
	if j.oneTop && j.top == "" {
		j.top = topLevel(j.archive)
	}
	switch j.verb {
	case create:
		return j.create()
	case appendV, update, concat:
		return j.extend()
	case remove:
		return j.remove()
	case list, extract, compare:
		return j.read()
	}
	j.env.Errorf("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
	j.tryHelp(tarTrouble)
	return errTold
}

// formatOf tells the format that a file's name promises, for -a.
func formatOf(name string) compress.Format {
	switch {
	case hasSuffix(name, ".gz", ".tgz", ".taz"):
		return compress.Gzip
	case hasSuffix(name, ".xz", ".txz"):
		return compress.XZ
	case hasSuffix(name, ".bz2", ".tbz", ".tbz2", ".tz2"):
		return compress.Bzip2
	}
	return compress.None
}

func hasSuffix(s string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// topLevel is the directory that --one-top-level makes for an archive.
func topLevel(archive string) string {
	name := path.Base(archive)
	for _, suffix := range []string{".gz", ".xz", ".bz2"} {
		name = strings.TrimSuffix(name, suffix)
	}
	for _, suffix := range []string{".tar", ".tgz", ".taz", ".txz", ".tbz", ".tbz2", ".tz2"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// errorf tells what is wrong with one file or member, and goes on.
func (j *job) errorf(format string, a ...any) {
	j.env.Errorf(format, a...)
	j.failed = true
}

// fatal tells what ends the command.
func (j *job) fatal(format string, a ...any) error {
	j.env.Errorf(format, a...)
	j.env.Errorf("Error is not recoverable: exiting now")
	j.status = tarTrouble
	return errTold
}

func (j *job) tryHelp(status int) int {
	j.env.Warn("Try 'tar --help' or 'tar --usage' for more information.")
	return status
}

// strerror is what the system says of an error. What os.Root says of names that lead out of it is
// what GNU finds there: its own plain file in the place of a link that is not to be followed.
func strerror(err error) string {
	if isEscape(err) {
		return "Not a directory"
	}
	return tool.Strerror(err)
}

func isEscape(err error) bool { return strings.HasSuffix(err.Error(), escapes) }

// escapes is the text of an error that package os does not export.
const escapes = "path escapes from parent"

// join resolves name against dir, if there is one.
func join(dir, name string) string {
	switch {
	case dir == "" || path.IsAbs(name):
		return name
	case strings.HasSuffix(dir, "/"):
		return dir + name
	}
	return dir + "/" + name
}

// excludeLines returns the patterns of an option that has many.
func (j *job) excludeLines(o option.Option) ([]string, error) {
	switch o.Name {
	case "exclude-vcs":
		return strings.Fields(vcsNames), nil
	case "exclude-backups":
		return []string{".#*", "*~", "#*#"}, nil
	}
	data, err := j.env.ReadFile(o.Arg)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

const vcsNames = "CVS .cvsignore RCS SCCS .git .gitignore .gitattributes .gitmodules .svn .arch-ids {arch} =RELEASE-ID =meta-update =update " +
	".bzr .bzrignore .bzrtags .hg .hgignore .hgrags _darcs"

// filesFrom reads operands from a file, for -T. It returns false if that can't be.
func (j *job) filesFrom(file string, c *step) bool {
	in, err := j.env.Input(file)
	if err != nil {
		j.fatal("%s: Cannot open: %s", file, strerror(err))
		return false
	}
	defer in.Close()
	end := byte('\n')
	if j.null {
		end = 0
	}
	lines := tool.NewLines(in, end)
	isDir := false
	for {
		p, ok := lines.Next()
		if !ok {
			break
		}
		name := string(p)
		switch {
		case name == "":
		case isDir:
			c.dir, isDir = join(c.dir, name), false
		case j.null || j.flags["verbatim-files-from"]:
			c.name = name
			j.steps = append(j.steps, *c)
		case name == "-C":
			isDir = true
		case strings.HasPrefix(name, "-C"):
			c.dir = join(c.dir, strings.TrimSpace(name[2:]))
		default:
			c.name = unquote(name)
			j.steps = append(j.steps, *c)
		}
	}
	if err := lines.Err(); err != nil {
		j.fatal("%s: Cannot read: %s", file, strerror(err))
		return false
	}
	j.fromFile = true
	return true
}

func (j *job) setFormat(name string) bool {
	switch name {
	case "gnu", "oldgnu":
		j.tarFormat = tar.FormatGNU
	case "pax", "posix":
		j.tarFormat = tar.FormatPAX
	case "ustar", "v7":
		j.tarFormat = tar.FormatUSTAR
	default:
		j.env.Errorf("%s: Invalid archive format", j.env.Quote(name))
		j.status = j.tryHelp(tarTrouble)
		return false
	}
	return true
}

// userName returns the name of a user or group, "" if it has none. Reading the lists for every file
// takes long.
func (j *job) userName(id uint32, group bool) string {
	key := names{id, group}
	if name, ok := j.users[key]; ok {
		return name
	}
	name := sys.UserName(id)
	if group {
		name = sys.GroupName(id)
	}
	if strings.Trim(name, "0123456789") == "" {
		name = ""
	}
	if j.users == nil {
		j.users = map[names]string{}
	}
	j.users[key] = name
	return name
}

type names struct {
	id    uint32
	group bool
}
