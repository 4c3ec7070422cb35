// Package grep prints lines that match a pattern, of files or of commits.
package grep

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const grepOptions = "v,invert-match i,ignore-case w,word-regexp a,text I r,recursive no-recursive max-depth= E,extended-regexp G,basic-regexp F,fixed-strings " +
	"P,perl-regexp n,line-number column h H full-name l,files-with-matches,name-only L,files-without-match z,null o,only-matching c,count color? no-color " +
	"break heading C,context= B,before-context= A,after-context= p,show-function W,function-context f= e= and or not q,quiet all-match cached untracked " +
	"no-index exclude-standard no-exclude-standard textconv no-textconv O,open-files-in-pager? threads= m,max-count="

// A searcher looks for lines in files: git grep.
type searcher struct {
	c       *cli.Call
	o       *option.Result
	match   matcher
	paint   cli.Palette
	before  int
	after   int
	limit   int // of lines of a file; below zero for none
	found   bool
	printed bool // whether a line was printed, so that a break or a "--" goes before the next file
}

// A matcher is an expression of patterns.
type matcher interface {
	// places returns where the line matches, and whether it does.
	places(line []byte) ([][]int, bool)
}

type onePattern struct {
	re   *regexp.Regexp
	word bool
}

type eachOf struct{ x, y matcher }

type oneOf []matcher

type notOf struct{ x matcher }

func (p onePattern) places(line []byte) ([][]int, bool) {
	all := p.re.FindAllIndex(line, -1)
	if p.word {
		all = slices.DeleteFunc(all, func(at []int) bool {
			return at[0] > 0 && wordByte(line[at[0]-1]) || at[1] < len(line) && wordByte(line[at[1]])
		})
	}
	return all, len(all) > 0
}

func wordByte(c byte) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80
}

func (e eachOf) places(line []byte) ([][]int, bool) {
	a, ok := e.x.places(line)
	if !ok {
		return nil, false
	}
	b, ok := e.y.places(line)
	return append(a, b...), ok
}

func (o oneOf) places(line []byte) (all [][]int, found bool) {
	for _, m := range o {
		at, ok := m.places(line)
		all, found = append(all, at...), found || ok
	}
	slices.SortFunc(all, func(a, b []int) int { return a[0] - b[0] })
	return all, found
}

func (n notOf) places(line []byte) ([][]int, bool) {
	_, ok := n.x.places(line)
	return nil, !ok
}

func Command(c *cli.Call) error {
	o, err := c.Parse(grepOptions + " #")
	if err != nil {
		return err
	}
	s := &searcher{c: c, o: o, limit: -1}
	operands := o.Operands
	if !o.Has("e") && !o.Has("f") {
		if len(operands) == 0 {
			return cli.Fatal("no pattern given")
		}
		operands = operands[1:]
	}
	if err := s.compile(); err != nil {
		return err
	}
	for name, to := range map[string][]*int{"C": {&s.before, &s.after}, "#": {&s.before, &s.after}, "B": {&s.before}, "A": {&s.after}, "m": {&s.limit}} {
		if !o.Has(name) {
			continue
		}
		n, err := strconv.Atoi(o.Arg(name))
		if err != nil || n < 0 {
			return &option.Error{Text: "option `" + name + "' expects a numerical value"}
		}
		for _, t := range to {
			*t = n
		}
	}
	c.Page()
	if s.paint, err = c.Paint("grep", o); err != nil {
		return err
	}
	if err := s.search(operands, o); err != nil {
		return err
	}
	if !s.found {
		return cli.Quiet(1)
	}
	return nil
}

// compile reads the patterns and the words between them.
func (s *searcher) compile() error {
	args := s.c.Args
	if !s.o.Has("e") && !s.o.Has("f") {
		m, err := s.pattern(s.o.Operands[0])
		s.match = m
		return err
	}
	var alternatives oneOf
	var current matcher
	and, not := false, false
	put := func(m matcher) {
		if not {
			m = notOf{m}
		}
		switch {
		case and && current != nil:
			current = eachOf{current, m}
		default:
			if current != nil {
				alternatives = append(alternatives, current)
			}
			current = m
		}
		and, not = false, false
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			i = len(args)
		case a == "--and":
			and = true
		case a == "--not":
			not = true
		case a == "-e" && i+1 < len(args), strings.HasPrefix(a, "-e") && len(a) > 2:
			text := strings.TrimPrefix(a, "-e")
			if text == "" {
				i++
				text = args[i]
			}
			m, err := s.pattern(text)
			if err != nil {
				return err
			}
			put(m)
		case a == "-f" && i+1 < len(args):
			i++
			b, err := s.c.ReadFile(args[i])
			if err != nil {
				return cli.Fatal("cannot open '%s': %s", args[i], cli.Reason(err))
			}
			for line := range strings.Lines(string(b)) {
				m, err := s.pattern(strings.TrimRight(line, "\n"))
				if err != nil {
					return err
				}
				put(m)
			}
		}
	}
	if current != nil {
		alternatives = append(alternatives, current)
	}
	if len(alternatives) == 0 {
		return cli.Fatal("no pattern given")
	}
	s.match = alternatives
	return nil
}

func (s *searcher) pattern(text string) (matcher, error) {
	kind, _ := s.o.Last("E", "F", "P", "G")
	if kind == "" {
		switch value, _ := s.c.Setting("grep.patterntype"); value {
		case "extended":
			kind = "E"
		case "fixed":
			kind = "F"
		case "perl":
			kind = "P"
		}
	}
	re, err := cli.CompilePattern(text, kind, s.o.Has("i"), false)
	return onePattern{re, s.o.Has("w")}, err
}

// search goes through the trees that the operands name, or the working tree.
func (s *searcher) search(operands []string, o *option.Result) error {
	c := s.c
	var revisions []string
	args := operands
	if c.Repo != nil && !o.Has("no-index") {
		for len(args) > 0 && c.IsRevision(args[0]) {
			revisions, args = append(revisions, args[0]), args[1:]
		}
		if !o.Dashes {
			if _, _, err := c.Split(&option.Result{Operands: args}); err != nil {
				return err
			}
		}
	}
	args = append(slices.Clone(args), o.Paths...)
	if c.Repo == nil || o.Has("no-index") {
		return s.loose(args)
	}
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return c.Outside(outside)
	}
	if len(paths) == 0 && c.Repo.Prefix != "" {
		paths = repo.Paths{strings.TrimSuffix(c.Repo.Prefix, "/")}
	}
	for _, rev := range revisions {
		if err := s.tree(rev, paths); err != nil {
			return err
		}
	}
	if len(revisions) > 0 {
		return nil
	}
	return s.files(paths)
}

// loose searches files without a repository.
func (s *searcher) loose(args []string) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, root := range args {
		files, err := cli.DiskFiles(root, nil)
		if err != nil {
			return cli.Fatal("%s: %s", root, cli.Reason(err))
		}
		names := repo.Snapshot(files).Names()
		for _, name := range names {
			if strings.HasPrefix(name, ".git/") {
				continue
			}
			full := strings.TrimPrefix(cli.BelowRoot(root, name), "./")
			text, err := s.c.ReadFile(path.Join(root, name))
			if err == nil && s.one(full, text) {
				return nil
			}
		}
	}
	return nil
}

func (s *searcher) tree(rev string, paths repo.Paths) error {
	h, err := s.c.Repo.Resolve(rev)
	if err != nil {
		return cli.Ambiguous(rev)
	}
	files, err := s.c.Repo.Tree(h)
	if err != nil {
		return cli.Fatal("unable to read tree (%s)", h)
	}
	for _, name := range files.Names() {
		if !paths.Match(name) && !strings.Contains(rev, ":") || !s.deep(name, paths) {
			continue
		}
		text, err := s.c.Repo.Blob(files[name].Hash)
		if err != nil {
			continue
		}
		if s.one(rev+":"+s.shown(name), text) {
			return nil
		}
	}
	return nil
}

func (s *searcher) files(paths repo.Paths) error {
	x, err := s.c.Repo.Index()
	if err != nil {
		return err
	}
	names := x.Names()
	if s.o.Has("untracked") {
		more, err := x.Untracked(true)
		if err != nil {
			return err
		}
		names = append(names, slices.DeleteFunc(more, func(n string) bool { return strings.HasSuffix(n, "/") })...)
		slices.Sort(names)
	}
	for _, name := range names {
		if !paths.Match(name) || !s.deep(name, paths) {
			continue
		}
		var text []byte
		if s.o.Has("cached") {
			text, err = s.c.Repo.Blob(x.Files[name].Hash)
		} else {
			text, err = s.c.Repo.ReadDisk(name)
		}
		if err == nil && s.one(s.shown(name), text) {
			return nil
		}
	}
	return nil
}

// deep reports whether a file is not deeper than --max-depth allows.
func (s *searcher) deep(name string, paths repo.Paths) bool {
	most, err := strconv.Atoi(s.o.Arg("max-depth"))
	if err != nil || most < 0 {
		return true
	}
	base := ""
	if len(paths) == 1 && paths[0] != "." {
		base = paths[0] + "/"
	}
	return strings.Count(strings.TrimPrefix(name, base), "/") <= most
}

func (s *searcher) shown(name string) string {
	if s.o.Has("full-name") {
		return cli.Quote(name)
	}
	if s.o.Has("z") {
		return cli.Relative(s.c.Repo.Prefix, name)
	}
	return s.c.Show(name)
}

// one searches one file. It reports whether that was enough.
func (s *searcher) one(name string, text []byte) (enough bool) {
	binary := diff.IsBinary(text) && !s.o.Has("a")
	if binary && s.o.Has("I") {
		return false
	}
	lines := diff.Lines(text)
	hits := make([][][]int, len(lines))
	matched := make([]bool, len(lines))
	count := 0
	for i, l := range lines {
		if s.limit >= 0 && count >= s.limit {
			break
		}
		at, ok := s.match.places(bytes.TrimSuffix(l, []byte("\n")))
		if ok != s.o.Has("v") {
			matched[i] = true
			count++
			if ok {
				hits[i] = at
			}
		}
	}
	end := "\n"
	if s.o.Has("z") {
		end = "\x00"
	}
	c := s.c
	switch {
	case s.o.Has("L"):
		if count == 0 {
			s.found = true
			c.Printf("%s%s", s.paint("\x1b[35m", name), end)
		}
		return false
	case count == 0:
		return false
	case s.o.Has("q"):
		s.found = true
		return true
	case s.o.Has("l"):
		s.found = true
		c.Printf("%s%s", s.paint("\x1b[35m", name), end)
		return false
	case s.o.Has("c"):
		s.found = true
		s.name(name, ":")
		c.Printf("%d\n", count)
		return false
	case binary:
		s.found = true
		c.Printf("Binary file %s matches\n", name)
		return false
	}
	s.found = true
	s.lines(name, lines, matched, hits)
	return false
}

func (s *searcher) name(name, sep string) {
	if s.o.Has("h") {
		return
	}
	end := s.paint("\x1b[36m", sep)
	if s.o.Has("z") {
		end = "\x00"
	}
	s.c.Printf("%s%s", s.paint("\x1b[35m", name), end)
}

func (s *searcher) lines(name string, lines [][]byte, matched []bool, hits [][][]int) {
	if s.o.Has("break") && s.printed {
		s.c.Printf("\n")
	} else if s.printed && (s.before+s.after > 0 || s.o.Has("W") || s.o.Has("p")) {
		s.c.Printf("%s\n", s.paint("\x1b[36m", "--"))
	}
	if s.o.Has("heading") && !s.o.Has("h") {
		s.c.Printf("%s\n", s.paint("\x1b[35m", name))
	}
	// How each line is shown: ':' for a match, '-' and '=' around it.
	show := make([]byte, len(lines))
	for i := range lines {
		if !matched[i] {
			continue
		}
		for j := max(0, i-s.before); j <= min(len(lines)-1, i+s.after); j++ {
			if show[j] == 0 {
				show[j] = '-'
			}
		}
		if s.o.Has("W") {
			from, to := functionAt(lines, i)
			for j := from; j < to; j++ {
				if show[j] == 0 {
					show[j] = '-'
				}
			}
		}
		if s.o.Has("p") || s.o.Has("W") {
			if at := title(lines, i); at >= 0 && at < i {
				show[at] = '='
			}
		}
	}
	for i := range lines {
		if matched[i] {
			show[i] = ':'
		}
	}
	last := -1
	for i, how := range show {
		if how == 0 {
			continue
		}
		if last >= 0 && i > last+1 && (s.before+s.after > 0 || s.o.Has("W")) && how != '=' {
			s.c.Printf("%s\n", s.paint("\x1b[36m", "--"))
		}
		last = i
		s.line(name, i, lines[i], how, hits[i])
		s.printed = true
	}
}

func (s *searcher) line(name string, i int, line []byte, how byte, hits [][]int) {
	text := bytes.TrimSuffix(line, []byte("\n"))
	sep := s.paint("\x1b[36m", string(how))
	head := func(column int) {
		if !s.o.Has("heading") {
			s.name(name, string(how))
		}
		if s.o.Has("n") {
			s.c.Printf("%s%s", s.paint("\x1b[32m", strconv.Itoa(i+1)), sep)
		}
		if s.o.Has("column") && column > 0 {
			s.c.Printf("%s%s", s.paint("\x1b[32m", strconv.Itoa(column)), sep)
		}
	}
	if s.o.Has("o") {
		if how != ':' {
			return
		}
		for _, at := range hits {
			if at[1] > at[0] {
				head(at[0] + 1)
				s.c.Printf("%s\n", s.paint("\x1b[1;31m", string(text[at[0]:at[1]])))
			}
		}
		return
	}
	column := 0
	if how == ':' {
		column = 1
		if len(hits) > 0 {
			column = hits[0][0] + 1
		}
	}
	head(column)
	done := 0
	if how == ':' && !s.o.Has("v") {
		for _, at := range hits {
			if at[0] < done || at[1] == at[0] {
				continue
			}
			s.c.Printf("%s%s", text[done:at[0]], s.paint("\x1b[1;31m", string(text[at[0]:at[1]])))
			done = at[1]
		}
	}
	s.c.Printf("%s\n", text[done:])
}

// title returns the last line up to i that looks like the head of a function; -1 if there is none.
func title(lines [][]byte, i int) int {
	for ; i >= 0; i-- {
		if c := lines[i][0]; c == '_' || c == '$' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			return i
		}
	}
	return -1
}

// functionAt returns the lines of the function that line i is in.
func functionAt(lines [][]byte, i int) (from, to int) {
	from = max(title(lines, i), 0)
	to = i + 1
	for to < len(lines) && title(lines[:to+1], to) != to {
		to++
	}
	for to > i+1 && len(bytes.TrimSpace(lines[to-1])) == 0 {
		to--
	}
	return from, to
}
