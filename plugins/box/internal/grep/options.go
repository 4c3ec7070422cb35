package grep

import (
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const grepOptions = "E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp e,regexp= f,file= i,y,ignore-case no-ignore-case " +
	"w,word-regexp x,line-regexp z,null-data s,no-messages v,invert-match V,version m,max-count= b,byte-offset n,line-number " +
	"line-buffered H,with-filename h,no-filename label= o,only-matching q,quiet,silent binary-files= a,text I d,directories= " +
	"D,devices= r,recursive R,dereference-recursive include= exclude= exclude-from= exclude-dir= L,files-without-match " +
	"l,files-with-matches c,count T,initial-tab Z,null B,before-context= A,after-context= C,context= group-separator= " +
	"no-group-separator color? colour? U,binary u 0 1 2 3 4 5 6 7 8 9"

// config is the parsed command line.
type config struct {
	matcher                     byte // E, F, G or P
	patterns                    []string
	hasPatterns                 bool
	ignoreCase, words, lines    bool
	invert                      bool
	delim                       byte // what ends a line
	maxCount                    int64
	names                       nameMode
	number, offset, tab         bool
	nulNames                    bool // a NUL follows each file's name
	label                       string
	only, quiet, silent         bool
	list                        listMode
	count                       bool
	binary                      string // binary, text or without-match
	directories                 string // read, recurse or skip
	dereference                 bool
	filters                     filters
	before, after               int
	groups                      bool // context is asked for, if only of no lines
	separator                   string
	hasSeparator, color, buffer bool
}

type nameMode byte

const (
	namesAuto nameMode = iota
	namesAlways
	namesNever
)

type listMode byte

const (
	listNone listMode = iota
	listMatching
	listOthers
)

// parse reads the command line. If it returns nil, the command is over with that status.
func parse(env *tool.Env, args []string, matcher byte) (*config, []string, int) {
	opts, status := env.Options(args, grepOptions)
	if opts == nil {
		return nil, nil, status
	}
	c := &config{
		matcher: matcher, delim: '\n', maxCount: -1, label: "(standard input)", binary: "binary", directories: "read",
		separator: "--", hasSeparator: true, before: -1, after: -1,
	}
	chosen := byte(0)
	if matcher != 'G' { // egrep and fgrep are called with an option
		chosen = matcher
	}
	both, digits, digitEnd := -1, "", -1
	for i, o := range opts.Options {
		var ok = true
		switch o.Name {
		case "E", "F", "G", "P":
			if ok = chosen == 0 || chosen == o.Name[0]; !ok {
				env.Errorf("conflicting matchers specified")
			}
			chosen = o.Name[0]
			c.matcher = chosen
		case "e":
			c.addPatterns(o.Arg)
		case "f":
			p, err := env.ReadFile(o.Arg)
			if err != nil {
				env.FileError(o.Arg, err)
				return nil, nil, 2
			}
			c.hasPatterns = true
			if len(p) > 0 {
				c.addPatterns(strings.TrimSuffix(string(p), "\n"))
			}
		case "i":
			c.ignoreCase = true
		case "no-ignore-case":
			c.ignoreCase = false
		case "w":
			c.words = true
		case "x":
			c.lines = true
		case "z":
			c.delim = 0
		case "s":
			c.silent = true
		case "v":
			c.invert = true
		case "V":
			env.Version()
			return nil, nil, 0
		case "m":
			n, err := strconv.ParseInt(o.Arg, 10, 64)
			if ok = err == nil; !ok {
				env.Errorf("invalid max count")
			}
			c.maxCount = n
		case "b":
			c.offset = true
		case "n":
			c.number = true
		case "line-buffered":
			c.buffer = true
		case "H":
			c.names = namesAlways
		case "h":
			c.names = namesNever
		case "label":
			c.label = o.Arg
		case "o":
			c.only = true
		case "q":
			c.quiet = true
		case "binary-files":
			if ok = o.Arg == "binary" || o.Arg == "text" || o.Arg == "without-match"; !ok {
				env.Errorf("unknown binary-files type")
			}
			c.binary = o.Arg
		case "a":
			c.binary = "text"
		case "I":
			c.binary = "without-match"
		case "d":
			if o.Arg != "read" && o.Arg != "recurse" && o.Arg != "skip" {
				return nil, nil, badAction(env, o.Arg)
			}
			c.directories = o.Arg
		case "D":
			if ok = o.Arg == "read" || o.Arg == "skip"; !ok {
				env.Errorf("unknown devices method")
			}
		case "r":
			c.directories, c.dereference = "recurse", false
		case "R":
			c.directories, c.dereference = "recurse", true
		case "include", "exclude", "exclude-dir", "exclude-from":
			ok = c.filters.add(env, o.Name, o.Arg)
		case "L":
			c.list = listOthers
		case "l":
			c.list = listMatching
		case "c":
			c.count = true
		case "T":
			c.tab = true
		case "Z":
			c.nulNames = true
		case "A":
			c.after, ok = contextLength(env, o.Arg)
		case "B":
			c.before, ok = contextLength(env, o.Arg)
		case "C":
			both, ok = contextLength(env, o.Arg)
		case "group-separator":
			c.separator, c.hasSeparator = o.Arg, true
		case "no-group-separator":
			c.hasSeparator = false
		case "color", "colour":
			switch o.Arg {
			case "always", "yes", "force":
				c.color = true
			case "", "auto", "tty", "if-tty":
				c.color = env.ToTerminal() && env.Getenv("TERM") != "" && env.Getenv("TERM") != "dumb"
			default:
				c.color = false
			}
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
			if digitEnd != i {
				digits = ""
			}
			digits, digitEnd = digits+o.Name, i+1
			both, ok = contextLength(env, digits)
		}
		if !ok {
			return nil, nil, 2
		}
	}
	c.groups = c.after >= 0 || c.before >= 0 || both >= 0
	if c.after < 0 {
		c.after = max(both, 0)
	}
	if c.before < 0 {
		c.before = max(both, 0)
	}
	operands := opts.Operands
	if !c.hasPatterns {
		if len(operands) == 0 {
			env.Warn("Usage: " + env.Name + " " + usage)
			return nil, nil, env.TryHelp()
		}
		c.addPatterns(operands[0])
		operands = operands[1:]
	}
	return c, operands, 0
}

func (c *config) addPatterns(s string) {
	c.hasPatterns = true
	c.patterns = append(c.patterns, strings.Split(s, "\n")...)
}

// contextLength reads the number of -A, -B and -C.
func contextLength(env *tool.Env, arg string) (int, bool) {
	n, err := strconv.ParseUint(arg, 10, 63)
	if err != nil && !strings.HasSuffix(err.Error(), "out of range") {
		env.Errorf("%s: invalid context length argument", arg)
		return 0, false
	}
	return int(min(n, 1<<31-1)), true
}

func badAction(env *tool.Env, arg string) int {
	env.Errorf("invalid argument %s for %s", env.Quote(arg), env.Quote("--directories"))
	env.Warn("Valid arguments are:\n  - " + env.Quote("read") + "\n  - " + env.Quote("recurse") + "\n  - " + env.Quote("skip"))
	env.Warn("Usage: " + env.Name + " " + usage)
	env.TryHelp()
	return 1
}
