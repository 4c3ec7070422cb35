package diff

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const diffOptions = "a,text b,ignore-space-change B,ignore-blank-lines c C,context? color? d,minimal e,ed E,ignore-tab-expansion H F,show-function-line= i,ignore-case I,ignore-matching-lines= " +
	"L,label= n,rcs N,new-file normal p,show-c-function q,brief r,recursive s,report-identical-files strip-trailing-cr u U,unified? v y,side-by-side " +
	"left-column suppress-common-lines t,expand-tabs w,ignore-all-space W,width= x,exclude= X,exclude-from= Z,ignore-trailing-space from-file= to-file= no-dereference"

// A comparison is one diff at work.
type comparison struct {
	env       *tool.Env
	match     matching
	style     byte // n(ormal), u, c, e, r(cs) or y
	context   int
	labels    []string
	newFile   bool
	functions bool
	brief     bool
	recursive bool
	same      bool
	text      bool
	exclude   []string
	spaces    bool          // -t
	heading   *regex.Regexp // of -F
	width     int           // of -y
	onlyLeft  bool          // -y shows of equal lines just the first file's
	onlyNew   bool          // -y shows no equal lines
	command   string        // the options as they were given, for the headers of -r
	zone      *time.Location
	status    int
}

func diff(env *tool.Env, args []string) int {
	args = splitContext(args)
	opts, status := options(env, args, diffOptions)
	if opts == nil {
		return status
	}
	c := &comparison{env: env, style: 'n', context: 3, width: 130, zone: clock.Zone(env), command: env.Name}
	if msg := c.set(opts); msg != "" {
		return usage(env, msg)
	}
	files := opts.Operands
	switch {
	case len(files) == 0:
		return usage(env, "missing operand after '"+args[len(args)-1]+"'")
	case len(files) == 1:
		return usage(env, "missing operand after '"+files[0]+"'")
	case len(files) > 2:
		return usage(env, "extra operand '"+files[2]+"'")
	}
	c.command += optionsAsGiven(args[1:], files)
	c.operands(files[0], files[1])
	return c.status
}

// splitContext gives -U3 and -C3 the form that an option with an optional argument has; -U 3
// becomes -U3, -3 is -U3.
func splitContext(args []string) []string {
	out := []string{args[0]}
	for i := 1; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && a[1] != '-' {
			k := strings.IndexAny(a, "UC")
			if k == len(a)-1 && i+1 < len(args) && !strings.ContainsAny(a[1:k], "LxX") {
				i++
				a += args[i]
			}
		}
		out = append(out, a)
	}
	return out
}

// optionsAsGiven is all that precedes the files, as -r shows it.
func optionsAsGiven(args, files []string) string {
	s := ""
	for _, a := range args {
		if len(files) > 0 && a == files[0] && a[0] != '-' {
			files = files[1:]
			continue
		}
		s += " " + a
	}
	return s
}

// set takes the options. It returns a complaint, or "".
func (c *comparison) set(opts *option.Result) string {
	styles := map[byte]bool{}
	var headings, ignored []string
	for _, o := range opts.Options {
		switch o.Name {
		case "a":
			c.text = true
		case "b":
			c.match.spaceAmount = true
		case "B":
			c.match.blankLines = true
		case "c", "C", "u", "U":
			c.style = strings.ToLower(o.Name)[0]
			styles[c.style] = true
			if o.Set {
				n, err := strconv.ParseUint(o.Arg, 10, 31)
				if err != nil {
					return "invalid context length '" + o.Arg + "'"
				}
				c.context = int(n)
			}
		case "e":
			c.style = 'e'
			styles['e'] = true
		case "n":
			c.style = 'r'
			styles['r'] = true
		case "y":
			c.style = 'y'
			styles['y'] = true
		case "W":
			n, err := strconv.ParseUint(o.Arg, 10, 16)
			if err != nil || n == 0 {
				return "invalid width '" + o.Arg + "'"
			}
			c.width = int(n)
		case "left-column":
			c.onlyLeft = true
		case "suppress-common-lines":
			c.onlyNew = true
		case "t":
			c.spaces = true
		case "F", "I":
			patterns := &ignored
			if o.Name == "F" {
				patterns, c.functions = &headings, true
			}
			*patterns = append(*patterns, o.Arg)
			if _, err := regex.CompileAll([]string{o.Arg}, regex.Options{}); err != nil {
				return o.Arg + ": " + err.Error()
			}
		case "normal":
			c.style = 'n'
			styles['n'] = true
		case "E":
			c.match.tabs = true
		case "i":
			c.match.fold = true
		case "L":
			c.labels = append(c.labels, o.Arg)
		case "N":
			c.newFile = true
		case "p":
			c.functions = true
		case "q":
			c.brief = true
		case "r":
			c.recursive = true
		case "s":
			c.same = true
		case "strip-trailing-cr":
			c.match.cr = true
		case "w":
			c.match.allSpace = true
		case "x":
			c.exclude = append(c.exclude, o.Arg)
		case "X":
			p, err := c.env.ReadFile(o.Arg)
			if err != nil {
				return o.Arg + ": " + tool.Strerror(err)
			}
			c.exclude = append(c.exclude, strings.Fields(string(p))...)
		case "Z":
			c.match.trailing = true
		}
	}
	if len(headings) > 0 {
		c.heading, _ = regex.CompileAll(headings, regex.Options{})
	}
	if len(ignored) > 0 {
		c.match.ignore, _ = regex.CompileAll(ignored, regex.Options{})
	}
	if len(styles) > 1 {
		return "conflicting output style options"
	}
	if c.functions && c.heading == nil && len(styles) == 0 {
		c.style = 'c'
	}
	return ""
}

func (c *comparison) raise(status int) { c.status = max(c.status, status) }

func (c *comparison) fail(name string, err error) {
	c.env.FileError(name, err)
	c.raise(trouble)
}

// operands compares what was named. A file beside a folder is compared with the file of its name
// there.
func (c *comparison) operands(a, b string) {
	fa, errA := c.env.StatInput(a)
	fb, errB := c.env.StatInput(b)
	if errA == nil && errB == nil && fa.IsDir() != fb.IsDir() {
		if a == "-" || b == "-" {
			c.env.Errorf("cannot compare '-' to a directory")
			c.raise(trouble)
			return
		}
		if fa.IsDir() {
			a = strings.TrimSuffix(a, "/") + "/" + path.Base(b)
			fa, errA = c.env.StatInput(a)
		} else {
			b = strings.TrimSuffix(b, "/") + "/" + path.Base(a)
			fb, errB = c.env.StatInput(b)
		}
	}
	missing := false
	for _, f := range []struct {
		name, other string
		err, others error
	}{{a, b, errA, errB}, {b, a, errB, errA}} {
		if f.err != nil && f.name != "-" && !(c.newFile && f.others == nil) {
			c.fail(f.name, f.err)
			missing = true
		}
	}
	switch {
	case missing:
	case errA == nil && errB == nil && fa.IsDir() && fb.IsDir():
		c.folders(a, b)
	default:
		c.files(a, b)
	}
}

// folders compares what is in two folders.
func (c *comparison) folders(a, b string) {
	inA, errA := c.list(a)
	inB, errB := c.list(b)
	if errA != nil || errB != nil {
		return
	}
	for i, j := 0, 0; (i < len(inA) || j < len(inB)) && !c.env.Stopped(); {
		switch {
		case j == len(inB) || i < len(inA) && inA[i].Name() < inB[j].Name():
			c.only(a, b, inA[i], true)
			i++
		case i == len(inA) || inB[j].Name() < inA[i].Name():
			c.only(a, b, inB[j], false)
			j++
		default:
			c.pair(a+"/"+inA[i].Name(), b+"/"+inB[j].Name())
			i++
			j++
		}
	}
}

func (c *comparison) list(dir string) ([]fs.DirEntry, error) {
	entries, err := c.env.ReadDir(dir)
	if err != nil {
		c.fail(dir, err)
		return nil, err
	}
	kept := entries[:0]
	for _, e := range entries {
		skip := false
		for _, glob := range c.exclude {
			ok, _ := path.Match(glob, e.Name())
			skip = skip || ok
		}
		if !skip {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// only deals with what just one of two folders has.
func (c *comparison) only(a, b string, e fs.DirEntry, first bool) {
	dir := b
	if first {
		dir = a
	}
	switch {
	case c.newFile && !e.IsDir():
		c.pair(a+"/"+e.Name(), b+"/"+e.Name())
	case c.newFile && c.recursive:
		inside, err := c.list(dir + "/" + e.Name())
		if err != nil {
			return
		}
		for _, sub := range inside {
			c.only(a+"/"+e.Name(), b+"/"+e.Name(), sub, first)
		}
	default:
		c.env.Out.WriteString("Only in " + dir + ": " + e.Name() + "\n")
		c.raise(1)
	}
}

// pair compares what two folders have by the same name.
func (c *comparison) pair(a, b string) {
	fa, errA := c.env.Stat(a)
	fb, errB := c.env.Stat(b)
	switch {
	case errA != nil || errB != nil:
		if !c.newFile {
			c.operands(a, b)
			return
		}
		c.files(a, b)
	case fa.IsDir() && fb.IsDir():
		if c.recursive {
			c.folders(a, b)
			return
		}
		c.env.Out.WriteString("Common subdirectories: " + a + " and " + b + "\n")
	case fa.IsDir() != fb.IsDir():
		c.env.Out.WriteString("File " + a + " is a " + what(fa) + " while file " + b + " is a " + what(fb) + "\n")
		c.raise(1)
	default:
		c.compare(a, b, c.command+" "+a+" "+b+"\n")
	}
}

func what(fi fs.FileInfo) string {
	switch {
	case fi.IsDir():
		return "directory"
	case fi.Size() == 0:
		return "regular empty file"
	}
	return "regular file"
}

// files compares two files.
func (c *comparison) files(a, b string) {
	head := ""
	if c.recursive && c.newFile && strings.Contains(a, "/") {
		head = c.command + " " + a + " " + b + "\n"
	}
	c.compare(a, b, head)
}

// compare compares two files; head precedes what differs.
func (c *comparison) compare(a, b, head string) {
	pa, okA := c.read(a)
	pb, okB := c.read(b)
	if !okA || !okB {
		return
	}
	if bytes.Equal(pa, pb) && (c.style != 'y' || c.onlyNew || c.brief) {
		c.identical(a, b)
		return
	}
	binary := !c.text && (isBinary(pa) || isBinary(pb))
	if c.brief && c.match == (matching{}) || binary {
		kind := "Files "
		if binary && !c.brief {
			kind = "Binary files "
		}
		c.env.Out.WriteString(kind + c.label(a, 0) + " and " + c.label(b, 1) + " differ\n")
		c.raise(1)
		return
	}
	p := &printer{out: c.env.Out, a: newText(pa), b: newText(pb), context: c.context, functions: c.functions, heading: c.heading, spaces: c.spaces}
	horizon := 0
	if c.style == 'u' || c.style == 'c' {
		horizon = c.context
	}
	list := c.match.changes(p.a, p.b, horizon)
	shown := slices.DeleteFunc(slices.Clone(list), func(c change) bool { return c.trivial })
	if len(shown) == 0 {
		list = nil
	}
	if c.style != 'u' && c.style != 'c' {
		list = shown
	}
	if len(list) == 0 && (c.style != 'y' || c.onlyNew || c.brief) {
		c.identical(a, b)
		return
	}
	if len(list) > 0 {
		c.raise(1)
	}
	if c.brief {
		c.env.Out.WriteString("Files " + c.label(a, 0) + " and " + c.label(b, 1) + " differ\n")
		return
	}
	c.env.Out.WriteString(head)
	switch c.style {
	case 'u':
		p.nameA, p.nameB = c.header(a, 0), c.header(b, 1)
		p.unified(list)
	case 'c':
		p.nameA, p.nameB = c.header(a, 0), c.header(b, 1)
		p.contextual(list)
	case 'y':
		newSideBySide(p, c.width, !c.onlyNew, c.onlyLeft).write(list)
		if len(list) == 0 {
			c.identical(a, b)
		}
	case 'e':
		p.ed(list)
	case 'r':
		p.rcs(list)
	default:
		p.normal(list)
	}
}

func (c *comparison) identical(a, b string) {
	if c.same {
		c.env.Out.WriteString("Files " + c.label(a, 0) + " and " + c.label(b, 1) + " are identical\n")
	}
}

func (c *comparison) read(name string) ([]byte, bool) {
	if _, err := c.env.StatInput(name); err != nil && name != "-" && c.newFile {
		return nil, true
	}
	p, err := c.env.ReadFile(name)
	if err == nil {
		const each = 64 // bytes, for a line, its number and what it is compared with
		err = tool.Keep(bytes.Count(p, []byte{'\n'}) * each)
	}
	if err != nil {
		c.fail(name, err)
	}
	return p, err == nil
}

// isBinary reports whether the beginning of a file holds a NUL.
func isBinary(p []byte) bool { return bytes.IndexByte(p[:min(len(p), 4096)], 0) >= 0 }

// label is what a file is called: its name, or what stands in for it.
func (c *comparison) label(name string, i int) string {
	if i < len(c.labels) {
		return c.labels[i]
	}
	return name
}

// header is a file's name and time, or the label that stands in for it.
func (c *comparison) header(name string, i int) string {
	if i < len(c.labels) {
		return c.labels[i]
	}
	const layout = "2006-01-02 15:04:05.000000000 -0700"
	t := time.Unix(0, 0)
	switch fi, err := c.env.StatInput(name); {
	case err == nil:
		t = fi.ModTime()
	case name == "-":
		t = time.Now()
	}
	if strings.ContainsAny(name, " \t\"\\") {
		name = strconv.Quote(name)
	}
	return name + "\t" + t.In(c.zone).Format(layout)
}
