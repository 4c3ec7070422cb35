package files

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const lsOptions = "a,all A,almost-all author b,escape block-size= B,ignore-backups c C color? d,directory D,dired f F,classify? file-type " +
	"format= full-time g group-directories-first G,no-group h,human-readable si H,dereference-command-line " +
	"dereference-command-line-symlink-to-dir hide= hyperlink? indicator-style= i,inode I,ignore= k,kibibytes l L,dereference m " +
	"n,numeric-uid-gid N,literal o p q,hide-control-chars show-control-chars Q,quote-name quoting-style= r,reverse R,recursive s,size " +
	"S sort= time= time-style= t T,tabsize= u U v w,width= x X Z,context zero 1"

// lister is one run of ls.
type lister struct {
	env    *tool.Env
	now    time.Time
	zone   *time.Location
	status int

	all, almostAll, backups bool
	directory, recursive    bool
	format                  byte // 'l', 'C', 'x', 'm', or '1'
	sort                    byte // as in -S, -t, -v, -X, -U; 0 is by name
	reverse, dirsFirst      bool
	stamp                   byte // 'm', 'a' or 'c': which time
	timeStyle               string
	follow, followOperands  bool
	inode, blocks           bool
	owner, group, numeric   bool
	classify                byte // 'F', 't' (file-type), 'p' (slash), or 0
	quoting                 string
	// names without quotes are indented where others have some, as GNU's does on terminals
	terminal bool
	indent   string // how far
	color    bool
	colored  bool // whether something was coloured yet
	base     int64
	unit     int64
	unitSet  bool
	hide     []string
	ignore   []string
	width    int
	end      string
	suffix   string // of sizes in a unit
	// directories that come behind the files: columns are as wide as theirs too
	beside []listed
}

func ls(env *tool.Env, args []string) int {
	opts, status := env.Options(args, lsOptions)
	if opts == nil {
		return status
	}
	l := &lister{
		env: env, now: time.Now(), zone: clock.Zone(env), format: '1', stamp: 'm', owner: true, group: true,
		unit: 1024, width: 80, end: "\n",
	}
	if env.Name == "dir" {
		l.format, l.quoting = 'C', "escape"
	}
	if env.Name == "ls" && env.ToTerminal() {
		l.format, l.quoting = 'C', "shell-escape"
		l.terminal = true
	}
	l.width = env.Columns(l.width)
	timeSet := false
	for _, o := range opts.Options {
		if !l.option(o.Name, o.Arg, o.Set, &timeSet) {
			return max(l.status, 1)
		}
	}
	l.color = l.color && paints(env)
	if timeSet && l.sort == 0 && l.format != 'l' {
		l.sort = 't'
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"."}
	}
	l.operands(names)
	return l.status
}

// option applies one option; it is false if its argument was bad.
func (l *lister) option(name, arg string, set bool, timeSet *bool) bool {
	switch name {
	case "a":
		l.all = true
	case "A":
		l.almostAll = true
	case "B":
		l.backups = true
	case "b":
		l.quoting = "escape"
	case "c":
		l.stamp, *timeSet = 'c', true
	case "u":
		l.stamp, *timeSet = 'a', true
	case "C", "x", "m", "l", "1":
		if name != "1" || l.format != 'l' {
			l.format = name[0]
		}
	case "zero":
		l.end, l.quoting = "\x00", "literal"
		if l.format != 'l' {
			l.format = '1'
		}
	case "d":
		l.directory = true
	case "f":
		l.all, l.sort = true, 'U'
	case "F":
		if !set || arg == "always" {
			l.classify = 'F'
		}
	case "file-type":
		l.classify = 't'
	case "p":
		l.classify = 'p'
	case "g":
		l.format, l.owner = 'l', false
	case "o":
		l.format, l.group = 'l', false
	case "G":
		l.group = false
	case "n":
		l.format, l.numeric = 'l', true
	case "full-time":
		l.format, l.timeStyle = 'l', "full-iso"
	case "group-directories-first":
		l.dirsFirst = true
	case "h":
		l.base = 1024
	case "si":
		l.base = 1000
	case "k":
		l.unit = 1024
	case "H", "dereference-command-line-symlink-to-dir":
		l.followOperands = true
	case "L":
		l.follow = true
	case "i":
		l.inode = true
	case "I":
		l.ignore = append(l.ignore, arg)
	case "hide":
		l.hide = append(l.hide, arg)
	case "N":
		l.quoting = "literal"
	case "Q":
		l.quoting = "c"
	case "r":
		l.reverse = true
	case "R":
		l.recursive = true
	case "s":
		l.blocks = true
	case "S", "t", "U", "v", "X":
		l.sort = name[0]
	default:
		return l.wordOption(name, arg, set)
	}
	return true
}

// wordOption applies an option whose argument is a word.
func (l *lister) wordOption(name, arg string, set bool) bool {
	switch name {
	case "block-size":
		switch arg {
		case "human-readable":
			l.base = 1024
			return true
		case "si":
			l.base = 1000
			return true
		}
		unit, suffix, ok := sys.ParseBlockSize(arg)
		if !ok {
			l.env.Errorf("invalid --block-size argument '%s'", arg)
			l.status = 2
			return false
		}
		l.unit, l.unitSet, l.base, l.suffix = unit, true, 0, suffix
	case "color":
		word, ok := l.word("--color", arg, set, "always", map[string]string{
			"always": "y", "yes": "y", "force": "y", "never": "", "no": "", "none": "", "auto": "tty", "tty": "tty", "if-tty": "tty"})
		l.color = word == "y" || word == "tty" && l.env.ToTerminal()
		return ok
	case "sort":
		word, ok := l.word("--sort", arg, true, "", map[string]string{
			"none": "U", "size": "S", "time": "t", "version": "v", "extension": "X", "name": "\x00", "width": "W"})
		if ok {
			l.sort = word[0]
		}
		return ok
	case "time":
		word, ok := l.word("--time", arg, true, "", map[string]string{
			"atime": "a", "access": "a", "use": "a", "ctime": "c", "status": "c", "mtime": "m", "modification": "m", "birth": "m", "creation": "m"})
		if ok {
			l.stamp = word[0]
		}
		return ok
	case "format":
		word, ok := l.word("--format", arg, true, "", map[string]string{
			"across": "x", "horizontal": "x", "commas": "m", "long": "l", "verbose": "l", "single-column": "1", "vertical": "C"})
		if ok {
			l.format = word[0]
		}
		return ok
	case "indicator-style":
		word, ok := l.word("--indicator-style", arg, true, "", map[string]string{"none": "\x00", "slash": "p", "file-type": "t", "classify": "F"})
		if ok {
			l.classify = word[0]
		}
		return ok
	case "quoting-style":
		l.quoting = arg
	case "time-style":
		l.timeStyle = arg
		if arg != "" && arg[0] != '+' {
			ok := l.isTimeStyle(arg, map[string]string{
				"full-iso": "", "long-iso": "", "iso": "", "locale": "", "posix-full-iso": "", "posix-long-iso": "", "posix-iso": "", "posix-locale": ""})
			return ok
		}
	case "w":
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			l.env.Errorf("invalid line width: %s", l.env.Quote(arg))
			l.status = 2
			return false
		}
		if l.width = n; n == 0 {
			l.width = 1 << 30
		}
	}
	return true
}

// word looks up the argument of an option that takes a few words.
func (l *lister) word(option, arg string, set bool, otherwise string, words map[string]string) (string, bool) {
	if !set {
		return words[otherwise], true
	}
	if v, ok := words[arg]; ok {
		return v, true
	}
	l.env.Errorf("invalid argument %s for %s", l.env.Quote(arg), l.env.Quote(option))
	l.env.Warn("Valid arguments are:")
	for _, line := range validWords[option] {
		quoted := make([]string, len(line))
		for i, w := range line {
			quoted[i] = l.env.Quote(w)
		}
		l.env.Warn("  - " + strings.Join(quoted, ", "))
	}
	l.env.TryHelp()
	return "", false
}

// validWords are the arguments that a complaint lists, one line for each meaning.
var validWords = map[string][][]string{
	"--color":           {{"always", "yes", "force"}, {"never", "no", "none"}, {"auto", "tty", "if-tty"}},
	"--sort":            {{"none"}, {"time"}, {"size"}, {"extension"}, {"version"}, {"width"}},
	"--time":            {{"atime", "access", "use"}, {"ctime", "status"}, {"mtime", "modification"}, {"birth", "creation"}},
	"--format":          {{"verbose", "long"}, {"commas"}, {"horizontal", "across"}, {"vertical"}, {"single-column"}},
	"--indicator-style": {{"none"}, {"slash"}, {"file-type"}, {"classify"}},
}

func (l *lister) isTimeStyle(arg string, styles map[string]string) bool {
	if _, ok := styles[arg]; ok {
		return true
	}
	l.env.Errorf("invalid argument %s for %s", l.env.Quote(arg), l.env.Quote("time style"))
	l.env.Warn("Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n" +
		"  - +FORMAT (e.g., +%H:%M) for a 'date'-style format")
	l.env.TryHelp()
	l.status = 2
	return false
}

func (l *lister) fail(status int, what, name string, err error) {
	l.env.Errorf("%s %s: %s", what, tool.QuoteAlways(name), tool.Strerror(err))
	l.status = max(l.status, status)
}

// size writes a file's size in the unit that was asked for.
func (l *lister) size(n int64) string {
	switch {
	case l.base > 0:
		return sys.Human(n, l.base)
	case l.unitSet:
		return fmt.Sprint((n+l.unit-1)/l.unit) + l.suffix
	}
	return fmt.Sprint(n)
}

// blockCount writes how much room blocks of 512 bytes take.
func (l *lister) blockCount(blocks int64) string {
	if l.base > 0 {
		return sys.Human(blocks*512, l.base)
	}
	return fmt.Sprint((blocks*512+l.unit-1)/l.unit) + l.suffix
}
