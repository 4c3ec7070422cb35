package ripgrep

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const rgOptions = "n,line-number N,no-line-number i,ignore-case s,case-sensitive S,smart-case w,word-regexp x,line-regexp " +
	"v,invert-match c,count count-matches l,files-with-matches files-without-match files o,only-matching e,regexp= f,file= " +
	"F,fixed-strings no-fixed-strings g,glob= iglob= glob-case-insensitive no-glob-case-insensitive t,type= T,type-not= type-list " +
	"type-add= A,after-context= B,before-context= C,context= H,with-filename I,no-filename heading no-heading hidden,. no-hidden " +
	"u,unrestricted no-ignore ignore no-ignore-vcs ignore-vcs no-ignore-dot no-ignore-parent no-ignore-global no-ignore-exclude " +
	"no-ignore-files no-ignore-messages no-require-git m,max-count= max-depth,maxdepth,d= sort= sortr= r,replace= U,multiline " +
	"multiline-dotall json color= colors= q,quiet p,pretty vimgrep column no-column trim no-trim z,search-zip P,pcre2 passthru,passthrough " +
	"L,follow no-follow a,text no-text binary no-binary b,byte-offset 0,null context-separator= no-context-separator " +
	"M,max-columns= max-columns-preview no-messages messages no-config j,threads= line-buffered no-line-buffered block-buffered " +
	"mmap no-mmap one-file-system stats crlf E,encoding= engine= include-zero ignore-file= no-unicode unicode h,help V,version"

// What is written of a file.
type output byte

const (
	outLines output = iota
	outCount
	outCountMatches
	outWith    // the names of files that match
	outWithout // and of those that don't
)

// config is the parsed command line.
type config struct {
	patterns             []string
	fixed                bool
	letters              byte // one of the constants of case
	wholeLine, wholeWord bool
	multiline            bool
	invert               bool

	files                 bool // name what would be searched
	globs                 rules
	types                 []kind
	ownTypes              []string
	hidden, follow        bool
	noIgnore, noIgnoreVCS bool
	noIgnoreDot, noParent bool
	depth                 int // below 0 for no limit
	text, binary          bool

	output                          output
	only, quiet, silent             bool
	withName                        *bool // nil: as it suits the paths
	number, column, offset, vimgrep bool
	heading, trim, passthru         bool
	nul, zero                       bool
	before, after                   int
	separator                       string
	hasSeparator                    bool
	replacement                     *string
	maxCount                        int // below 0 for no limit
	maxColumns                      int // 0 for no limit
}

// errUsage is a complaint that the argument parser of ripgrep would make.
func errUsage(format string, a ...any) error { return fmt.Errorf("error: "+format, a...) }

// parse reads the command line. If it returns nil, the command is over with that status.
func parse(env *tool.Env, args []string) (*config, []string, int) {
	c := &config{letters: caseExact, depth: -1, maxCount: -1, separator: "--", hasSeparator: true}
	res, err := option.Parse(args[1:], rgOptions)
	if err != nil {
		env.Warn(usageMessage(err))
		return nil, nil, 2
	}
	hasPattern := false
	both := -1
	c.before, c.after = -1, -1
	var globs []option.Option
	var types []option.Option
	fold, unrestricted := false, 0
	for _, o := range res.Options {
		var err error
		switch o.Name {
		case "h":
			env.Help()
			return nil, nil, 0
		case "V":
			env.Version()
			return nil, nil, 0
		case "type-list":
			env.Out.WriteString(fileTypes)
			return nil, nil, 0
		case "e":
			hasPattern = true
			c.patterns = append(c.patterns, o.Arg)
		case "f":
			hasPattern = true
			err = c.readPatterns(env, o.Arg)
		case "g", "iglob":
			globs = append(globs, o)
		case "glob-case-insensitive", "no-glob-case-insensitive":
			fold = o.Name == "glob-case-insensitive"
		case "t", "T":
			types = append(types, o)
		case "type-add":
			err = c.defineType(o.Arg)
		case "u":
			unrestricted++
		case "A":
			c.after, err = number(o.Arg, "after-context")
		case "B":
			c.before, err = number(o.Arg, "before-context")
		case "C":
			both, err = number(o.Arg, "context")
		case "m":
			c.maxCount, err = number(o.Arg, "max-count")
		case "max-depth":
			c.depth, err = number(o.Arg, "max-depth")
		case "M":
			c.maxColumns, err = number(o.Arg, "max-columns")
		case "sort", "sortr":
			if o.Name == "sortr" && o.Arg != "none" || o.Arg != "path" && o.Arg != "none" {
				err = fmt.Errorf("rg: --%s %s is %s: files come in the order of their names", o.Name, o.Arg, errHere)
			}
		case "r":
			c.replacement = &o.Arg
		case "context-separator":
			c.separator, c.hasSeparator = unescape(o.Arg), true
		case "P", "json", "z", "stats", "ignore-file":
			err = refusal(o.Name)
		case "engine":
			if o.Arg == "pcre2" {
				err = refusal("P")
			}
		case "E":
			switch strings.ToLower(o.Arg) {
			case "auto", "none", "utf-8", "utf8":
			default:
				err = fmt.Errorf("rg: --encoding %s is %s", o.Arg, errHere)
			}
		case "color":
			if o.Arg == "always" || o.Arg == "ansi" {
				err = fmt.Errorf("rg: --color %s is %s", o.Arg, errHere)
			}
		default:
			c.set(o.Name)
		}
		if err != nil {
			env.Warn(err.Error())
			return nil, nil, 2
		}
	}
	c.restrictLess(unrestricted)
	c.spread(both)
	if err := c.choose(globs, types, fold); err != nil {
		env.Warn(err.Error())
		return nil, nil, 2
	}
	operands := res.Operands
	if !hasPattern && !c.files {
		if len(operands) == 0 {
			env.Warn("error: The following required arguments were not provided:\n    <PATTERN>")
			return nil, nil, 2
		}
		c.patterns = operands[:1]
		operands = operands[1:]
	}
	return c, operands, 0
}

// set is an option without an argument. What begins with no- takes back what goes without.
func (c *config) set(name string) {
	name, off := strings.CutPrefix(name, "no-")
	on := !off
	switch name {
	case "n", "N":
		c.number = name == "n"
	case "i", "s", "S":
		c.letters = name[0]
	case "w", "x":
		c.wholeWord, c.wholeLine = name == "w", name == "x"
	case "v":
		c.invert = true
	case "c":
		c.output = outCount
	case "count-matches":
		c.output = outCountMatches
	case "l":
		c.output = outWith
	case "files-without-match":
		c.output = outWithout
	case "files":
		c.files = true
	case "o":
		c.only = true
	case "F", "fixed-strings":
		c.fixed = on
	case "H", "I":
		with := name == "H"
		c.withName = &with
	case "heading":
		c.heading = on
	case "p":
		c.heading, c.number = true, true
	case "hidden":
		c.hidden = on
	case "ignore":
		c.noIgnore = off
	case "ignore-vcs":
		c.noIgnoreVCS = off
	case "ignore-dot":
		c.noIgnoreDot = off
	case "ignore-parent":
		c.noParent = off
	case "U", "multiline-dotall":
		c.multiline = true
	case "q":
		c.quiet = true
	case "vimgrep":
		c.vimgrep, c.column, c.number = true, true, true
	case "column":
		c.column, c.number = on, c.number || on
	case "trim":
		c.trim = on
	case "passthru":
		c.passthru = true
	case "L", "follow":
		c.follow = on
	case "a", "text":
		c.text = on
	case "binary":
		c.binary = on
	case "b":
		c.offset = true
	case "0":
		c.nul = true
	case "include-zero":
		c.zero = true
	case "context-separator":
		c.hasSeparator = on
	case "messages":
		c.silent = off
	}
}

// restrictLess is -u, once or more.
func (c *config) restrictLess(times int) {
	c.noIgnore = c.noIgnore || times > 0
	c.hidden = c.hidden || times > 1
	c.binary = c.binary || times > 2
}

// spread gives -C to what neither -A nor -B names, and settles what excludes what.
func (c *config) spread(both int) {
	if c.before < 0 {
		c.before = max(both, 0)
	}
	if c.after < 0 {
		c.after = max(both, 0)
	}
	if c.passthru {
		c.before, c.after = 0, 0
	}
	switch {
	case c.output == outCount && c.only && !c.invert:
		c.output = outCountMatches
	case c.output == outCountMatches && c.invert:
		c.output = outCount
	}
}

// choose parses what says which files are searched.
func (c *config) choose(globs, types []option.Option, fold bool) error {
	for _, o := range globs {
		g, err := parseGlob(o.Arg, fold || o.Name == "iglob")
		if err != nil {
			return err
		}
		if g != nil {
			c.globs = append(c.globs, g)
		}
	}
	for _, o := range types {
		if err := c.addType(o.Arg, o.Name == "T"); err != nil {
			return err
		}
	}
	return nil
}

// readPatterns takes each line of a file as a pattern.
func (c *config) readPatterns(env *tool.Env, name string) error {
	p, err := env.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%s: %s", name, systemMessage(err))
	}
	for line := range strings.Lines(string(p)) {
		c.patterns = append(c.patterns, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
	}
	return nil
}

func number(arg, option string) (int, error) {
	n, err := strconv.ParseUint(arg, 10, 31)
	if err != nil {
		return 0, errUsage("Invalid value for '--%s <NUM>': invalid digit found in string", option)
	}
	return int(n), nil
}

// refusal says why an option is not there.
func refusal(name string) error {
	switch name {
	case "P":
		return fmt.Errorf("PCRE2 is not available in this build of ripgrep")
	case "z":
		return fmt.Errorf("rg: -z is %s: use zcat FILE | rg PATTERN", errHere)
	}
	return fmt.Errorf("rg: --%s is %s", name, errHere)
}

// usageMessage is what ripgrep's parser says where ours says err.
func usageMessage(err error) string {
	s := err.Error()
	quoted := func(after string) string {
		_, rest, _ := strings.Cut(s, after)
		name, _, _ := strings.Cut(rest, "'")
		return name
	}
	switch {
	case strings.HasPrefix(s, "invalid option"):
		return "error: Found argument '-" + quoted("'") + "' which wasn't expected, or isn't valid in this context"
	case strings.HasPrefix(s, "unrecognized option"):
		name, _, _ := strings.Cut(quoted("'"), "=")
		return "error: Found argument '" + name + "' which wasn't expected, or isn't valid in this context"
	}
	return "error: " + s
}

// unescape reads the escapes of a separator.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\0`, "\x00").Replace(s)
}
