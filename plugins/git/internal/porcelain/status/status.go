// Package status tells how HEAD, the index and the working tree differ, what was begun and not
// ended, and how a branch stands to the one that it follows.
package status

import (
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A State is how HEAD, the index and the working tree differ.
type State struct {
	Head      repo.Snapshot
	Index     *repo.Index
	Disk      repo.Snapshot
	Staged    []change.Change
	Unstaged  []change.Change
	Unmerged  []string
	Untracked []string
	joining   bool // whether the next commit ends a merge or a cherry-pick
	paint     cli.Palette
}

// Read looks at the working tree. all lists each untracked file, none skips them.
func Read(c *cli.Call, paths repo.Paths, all, none bool) (*State, error) {
	s := &State{}
	var err error
	if s.paint, err = c.Paint("status", nil); err != nil {
		return nil, err
	}
	if s.Head, err = c.Repo.Tree(c.Repo.Head()); err != nil {
		return nil, err
	}
	if s.Index, err = c.Repo.Index(); err != nil {
		return nil, err
	}
	if s.Disk, err = s.Index.OnDisk(); err != nil {
		return nil, err
	}
	d := &change.Output{Repo: c.Repo}
	s.Staged = change.Renames(change.Without(change.Compare(s.Head, s.Index.Files, paths), s.Index.Conflicts), d.Read)
	s.Unstaged = change.Compare(s.Index.Files, s.Disk, paths)
	for _, name := range s.Index.Unmerged() {
		if paths.Match(name) {
			s.Unmerged = append(s.Unmerged, name)
		}
	}
	s.joining = joins(c)
	if none {
		return s, nil
	}
	others, err := s.Index.Untracked(all)
	for _, name := range others {
		if paths.Match(name) {
			s.Untracked = append(s.Untracked, name)
		}
	}
	return s, err
}

func Command(c *cli.Call) error {
	o, err := c.Parse("s,short porcelain? long b,branch u,untracked-files? ignored? v,verbose z no-renames show-stash ahead-behind no-ahead-behind column? no-column M,find-renames? renames")
	if err != nil {
		return err
	}
	paths, outside := c.Repo.Paths(o.Rest())
	if outside != "" {
		return c.Outside(outside)
	}
	u := o.Arg("u")
	all := o.Has("u") && u != "no" && u != "normal"
	s, err := Read(c, paths, all, u == "no")
	if err != nil {
		return err
	}
	var ignored []string
	if o.Has("ignored") {
		if ignored, err = s.Index.Ignored(all); err != nil {
			return err
		}
	}
	if v := o.Arg("porcelain"); v == "v2" || v == "2" {
		statusV2(c, s, ignored, o.Has("b"), o.Has("z"))
		return nil
	}
	if o.Has("s") || o.Has("porcelain") || o.Has("z") {
		ShortStatus(c, s, ignored, o.Has("b"), o.Has("porcelain"), o.Has("z"))
		return nil
	}
	LongStatus(c, c.Stdout, s, ignored, u == "no", "No commits yet")
	return nil
}

func ShortStatus(c *cli.Call, s *State, ignored []string, branch, porcelain, nul bool) {
	show := func(name string) string {
		if !porcelain {
			name = cli.Relative(c.Repo.Prefix, name)
		}
		if q := cli.Quote(name); q != name || !strings.Contains(name, " ") {
			return q
		}
		return `"` + name + `"`
	}
	paint := s.paint
	if porcelain || nul {
		paint = cli.Uncolored
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
		name := c.Repo.Branch()
		switch {
		case name == "":
			name = "HEAD (no branch)"
		case c.Repo.Head() == repo.Zero:
			name = "No commits yet on " + name
		default:
			up, ahead, behind := Upstream(c, name)
			if name = paint(cli.Green, name); up != "" {
				name += "..." + paint(cli.Red, up) + AheadBehind(ahead, behind)
			}
		}
		c.Printf("## %s%s", name, end)
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
	for _, ch := range s.Staged {
		l := at(ch.New)
		l.x, l.old = ch.Status, ch.Old
	}
	for _, ch := range s.Unstaged {
		at(ch.New).y = ch.Status
	}
	for _, name := range s.Unmerged {
		l := at(name)
		l.old, l.conflict = name, change.StandingOf(s.Index.Conflicts[name]).Short
	}
	for _, name := range order.Names() {
		l := lines[name]
		switch {
		case l.conflict != "":
			c.Printf("%s %s%s", paint(cli.Red, l.conflict), show(name), end)
		case l.old == l.new:
			c.Printf("%s%s %s%s", mark(cli.Green, l.x), mark(cli.Red, l.y), show(name), end)
		case nul:
			c.Printf("%c%c %s\x00%s\x00", l.x, l.y, l.new, l.old)
		default:
			c.Printf("%s%s %s -> %s\n", mark(cli.Green, l.x), mark(cli.Red, l.y), show(l.old), show(l.new))
		}
	}
	for _, name := range s.Untracked {
		c.Printf("%s %s%s", paint(cli.Red, "??"), show(name), end)
	}
	for _, name := range ignored {
		c.Printf("%s %s%s", paint(cli.Red, "!!"), show(name), end)
	}
}

// words are what long status calls a change; they are as wide as the widest.
var words = map[byte]string{'A': "new file:   ", 'M': "modified:   ", 'D': "deleted:    ", 'R': "renamed:    ", 'T': "typechange: "}

func LongStatus(c *cli.Call, w io.Writer, s *State, ignored []string, hidden bool, unborn string) {
	p := cli.Printer{W: w}
	born := c.Repo.Head() != repo.Zero
	p.Printf("%s\n", where(c, s))
	if b := c.Repo.Branch(); b != "" && born {
		Tracking(p, c, b)
	}
	inProgress(p, c, s)
	if !born {
		p.Printf("\n%s\n\n", unborn)
	}
	if len(s.Staged) > 0 {
		unstage := "\"git restore --staged <file>...\""
		if !born {
			unstage = "\"git rm --cached <file>...\""
		}
		p.Printf("Changes to be committed:\n")
		if !s.joining {
			p.Printf("  (use %s to unstage)\n", unstage)
		}
		changes(p, c, s, s.Staged, cli.Green)
	}
	open(p, c, s)
	if len(s.Unstaged) > 0 {
		add := "git add"
		for _, ch := range s.Unstaged {
			if ch.Status == 'D' {
				add = "git add/rm"
			}
		}
		p.Printf("Changes not staged for commit:\n  (use \"%s <file>...\" to update what will be committed)\n", add)
		p.Printf("  (use \"git restore <file>...\" to discard changes in working directory)\n")
		changes(p, c, s, s.Unstaged, cli.Red)
	}
	list(p, c, s, "Untracked files", "git add <file>...", s.Untracked)
	list(p, c, s, "Ignored files", "git add -f <file>...", ignored)
	if hidden && len(s.Staged) > 0 {
		p.Printf("Untracked files not listed (use -u option to show untracked files)\n")
	}
	if len(s.Staged) > 0 || c.Repo.HasState("MERGE_HEAD") && len(s.Unmerged) == 0 {
		return
	}
	switch {
	case len(s.Unstaged)+len(s.Unmerged) > 0:
		p.Printf("no changes added to commit (use \"git add\" and/or \"git commit -a\")\n")
	case len(s.Untracked) > 0:
		p.Printf("nothing added to commit but untracked files present (use \"git add\" to track)\n")
	case !born:
		p.Printf("nothing to commit (create/copy files and use \"git add\" to track)\n")
	case hidden:
		p.Printf("nothing to commit (use -u to show untracked files)\n")
	default:
		p.Printf("nothing to commit, working tree clean\n")
	}
}

func changes(p cli.Printer, c *cli.Call, s *State, changes []change.Change, color string) {
	for _, ch := range changes {
		name := c.Show(ch.New)
		if ch.Old != ch.New {
			name = c.Show(ch.Old) + " -> " + name
		}
		p.Printf("\t%s\n", s.paint(color, words[ch.Status]+name))
	}
	p.Printf("\n")
}

func list(p cli.Printer, c *cli.Call, s *State, title, use string, names []string) {
	if len(names) == 0 {
		return
	}
	p.Printf("%s:\n  (use \"%s\" to include in what will be committed)\n", title, use)
	for _, name := range names {
		p.Printf("\t%s\n", s.paint(cli.Red, c.Show(name)))
	}
	p.Printf("\n")
}
