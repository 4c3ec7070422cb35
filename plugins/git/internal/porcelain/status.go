package porcelain

import (
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A state is how HEAD, the index and the working tree differ.
type state struct {
	head      repo.Snapshot
	index     *repo.Index
	disk      repo.Snapshot
	staged    []change
	unstaged  []change
	unmerged  []string
	untracked []string
	joining   bool // whether the next commit ends a merge or a cherry-pick
	paint     palette
}

// state looks at the working tree. all lists each untracked file, none skips them.
func (c *call) state(paths repo.Paths, all, none bool) (*state, error) {
	s := &state{}
	var err error
	if s.paint, err = c.paint("status", nil); err != nil {
		return nil, err
	}
	if s.head, err = c.repo.Tree(c.repo.Head()); err != nil {
		return nil, err
	}
	if s.index, err = c.repo.Index(); err != nil {
		return nil, err
	}
	if s.disk, err = s.index.OnDisk(); err != nil {
		return nil, err
	}
	d := &diffOutput{repo: c.repo}
	s.staged = renames(without(compare(s.head, s.index.Files, paths), s.index.Conflicts), d.read)
	s.unstaged = compare(s.index.Files, s.disk, paths)
	for _, name := range s.index.Unmerged() {
		if paths.Match(name) {
			s.unmerged = append(s.unmerged, name)
		}
	}
	s.joining = c.joins()
	if none {
		return s, nil
	}
	others, err := s.index.Untracked(all)
	for _, name := range others {
		if paths.Match(name) {
			s.untracked = append(s.untracked, name)
		}
	}
	return s, err
}

func status(c *call) error {
	o, err := c.parse("s,short porcelain? long b,branch u,untracked-files? ignored? v,verbose z no-renames show-stash ahead-behind no-ahead-behind column? no-column M,find-renames? renames")
	if err != nil {
		return err
	}
	paths, outside := c.repo.Paths(o.Rest())
	if outside != "" {
		return c.outside(outside)
	}
	u := o.Arg("u")
	all := o.Has("u") && u != "no" && u != "normal"
	s, err := c.state(paths, all, u == "no")
	if err != nil {
		return err
	}
	var ignored []string
	if o.Has("ignored") {
		if ignored, err = s.index.Ignored(all); err != nil {
			return err
		}
	}
	if v := o.Arg("porcelain"); v == "v2" || v == "2" {
		c.statusV2(s, ignored, o.Has("b"), o.Has("z"))
		return nil
	}
	if o.Has("s") || o.Has("porcelain") || o.Has("z") {
		c.shortStatus(s, ignored, o.Has("b"), o.Has("porcelain"), o.Has("z"))
		return nil
	}
	c.longStatus(c.stdout, s, ignored, u == "no", "No commits yet")
	return nil
}

func (c *call) outside(path string) error {
	return fatal("%s: '%s' is outside repository at '%s'", path, path, c.repo.Top)
}

// show returns a path as seen from the current directory.
func (c *call) show(name string) string { return quote(relative(c.repo.Prefix, name)) }

func relative(prefix, name string) string {
	up := ""
	for prefix != "" && !strings.HasPrefix(name, prefix) {
		prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
		up += "../"
	}
	if rest := up + name[len(prefix):]; rest != "" {
		return rest
	}
	return "./"
}

func (c *call) shortStatus(s *state, ignored []string, branch, porcelain, nul bool) {
	show := func(name string) string {
		if !porcelain {
			name = relative(c.repo.Prefix, name)
		}
		if q := quote(name); q != name || !strings.Contains(name, " ") {
			return q
		}
		return `"` + name + `"`
	}
	paint := s.paint
	if porcelain || nul {
		paint = uncolored
	}
	mark := func(color string, status byte) string {
		if status == ' ' {
			return " "
		}
		return paint(color, string(rune(status)))
	}
	end := "\n"
	if nul {
		end, show = "\x00", func(s string) string { return s }
	}
	if branch {
		name := c.repo.Branch()
		switch {
		case name == "":
			name = "HEAD (no branch)"
		case c.repo.Head() == repo.Zero:
			name = "No commits yet on " + name
		default:
			up, ahead, behind := c.upstream(name)
			if name = paint(green, name); up != "" {
				name += "..." + paint(red, up) + aheadBehind(ahead, behind)
			}
		}
		c.printf("## %s%s", name, end)
	}
	type line struct {
		x, y     byte
		old, new string
		conflict string
	}
	lines := map[string]*line{}
	order := repo.Snapshot{}
	at := func(name string) *line {
		if lines[name] == nil {
			lines[name] = &line{' ', ' ', name, name, ""}
			order[name] = repo.File{}
		}
		return lines[name]
	}
	for _, ch := range s.staged {
		l := at(ch.new)
		l.x, l.old = ch.status, ch.old
	}
	for _, ch := range s.unstaged {
		at(ch.new).y = ch.status
	}
	for _, name := range s.unmerged {
		l := at(name)
		l.old, l.conflict = name, standingOf(s.index.Conflicts[name]).short
	}
	for _, name := range order.Names() {
		l := lines[name]
		switch {
		case l.conflict != "":
			c.printf("%s %s%s", paint(red, l.conflict), show(name), end)
		case l.old == l.new:
			c.printf("%s%s %s%s", mark(green, l.x), mark(red, l.y), show(name), end)
		case nul:
			c.printf("%c%c %s\x00%s\x00", l.x, l.y, l.new, l.old)
		default:
			c.printf("%s%s %s -> %s\n", mark(green, l.x), mark(red, l.y), show(l.old), show(l.new))
		}
	}
	for _, name := range s.untracked {
		c.printf("%s %s%s", paint(red, "??"), show(name), end)
	}
	for _, name := range ignored {
		c.printf("%s %s%s", paint(red, "!!"), show(name), end)
	}
}

// words are what long status calls a change; they are as wide as the widest.
var words = map[byte]string{'A': "new file:   ", 'M': "modified:   ", 'D': "deleted:    ", 'R': "renamed:    ", 'T': "typechange: "}

func (c *call) longStatus(w io.Writer, s *state, ignored []string, hidden bool, unborn string) {
	p := printer{w}
	born := c.repo.Head() != repo.Zero
	p.printf("%s\n", c.where(s))
	if b := c.repo.Branch(); b != "" && born {
		p.tracking(c, b)
	}
	p.inProgress(c, s)
	if !born {
		p.printf("\n%s\n\n", unborn)
	}
	if len(s.staged) > 0 {
		unstage := "\"git restore --staged <file>...\""
		if !born {
			unstage = "\"git rm --cached <file>...\""
		}
		p.printf("Changes to be committed:\n")
		if !s.joining {
			p.printf("  (use %s to unstage)\n", unstage)
		}
		p.changes(c, s, s.staged, green)
	}
	p.open(c, s)
	if len(s.unstaged) > 0 {
		add := "git add"
		for _, ch := range s.unstaged {
			if ch.status == 'D' {
				add = "git add/rm"
			}
		}
		p.printf("Changes not staged for commit:\n  (use \"%s <file>...\" to update what will be committed)\n", add)
		p.printf("  (use \"git restore <file>...\" to discard changes in working directory)\n")
		p.changes(c, s, s.unstaged, red)
	}
	p.list(c, s, "Untracked files", "git add <file>...", s.untracked)
	p.list(c, s, "Ignored files", "git add -f <file>...", ignored)
	if hidden && len(s.staged) > 0 {
		p.printf("Untracked files not listed (use -u option to show untracked files)\n")
	}
	if len(s.staged) > 0 || c.repo.HasState("MERGE_HEAD") && len(s.unmerged) == 0 {
		return
	}
	switch {
	case len(s.unstaged)+len(s.unmerged) > 0:
		p.printf("no changes added to commit (use \"git add\" and/or \"git commit -a\")\n")
	case len(s.untracked) > 0:
		p.printf("nothing added to commit but untracked files present (use \"git add\" to track)\n")
	case !born:
		p.printf("nothing to commit (create/copy files and use \"git add\" to track)\n")
	case hidden:
		p.printf("nothing to commit (use -u to show untracked files)\n")
	default:
		p.printf("nothing to commit, working tree clean\n")
	}
}

func (p printer) changes(c *call, s *state, changes []change, color string) {
	for _, ch := range changes {
		name := c.show(ch.new)
		if ch.old != ch.new {
			name = c.show(ch.old) + " -> " + name
		}
		p.printf("\t%s\n", s.paint(color, words[ch.status]+name))
	}
	p.printf("\n")
}

func (p printer) list(c *call, s *state, title, use string, names []string) {
	if len(names) == 0 {
		return
	}
	p.printf("%s:\n  (use \"%s\" to include in what will be committed)\n", title, use)
	for _, name := range names {
		p.printf("\t%s\n", s.paint(red, c.show(name)))
	}
	p.printf("\n")
}
