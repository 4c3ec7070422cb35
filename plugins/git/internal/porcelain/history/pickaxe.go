package history

import (
	"bytes"
	"regexp"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A pickaxe finds commits by what they changed: how often a text is there (-S), or which lines came
// or went (-G).
type pickaxe struct {
	text  []byte
	count *regexp.Regexp // for -S with --pickaxe-regex
	lines *regexp.Regexp
	paths repo.Paths
	whole bool // whether all files of such a commit are shown: --pickaxe-all
}

func newPickaxe(c *cli.Call, o *option.Result) (p *pickaxe, err error) {
	switch {
	case o.Has("S") && o.Has("pickaxe-regex"):
		p = &pickaxe{}
		p.count, err = cli.CompilePattern(o.Arg("S"), "E", o.Has("i"), true)
	case o.Has("S"):
		p = &pickaxe{text: []byte(o.Arg("S"))}
	case o.Has("G"):
		p = &pickaxe{}
		p.lines, err = cli.CompilePattern(o.Arg("G"), "E", o.Has("i"), false)
	default:
		return nil, nil
	}
	p.whole = o.Has("pickaxe-all")
	return p, err
}

// matches reports whether a commit changed such a thing. Merges are not looked at.
func (p *pickaxe) matches(c *cli.Call, commit *repo.Commit) (bool, error) {
	if len(commit.ParentHashes) > 1 {
		return false, nil
	}
	changes, d, err := ChangesOf(c, commit, p.paths)
	if err != nil {
		return false, err
	}
	for _, ch := range changes {
		if p.found(d, ch) {
			return true, nil
		}
	}
	return false, nil
}

// choose returns the changes to show.
func (p *pickaxe) choose(d *change.Output, changes []change.Change) []change.Change {
	if p == nil || p.whole {
		return changes
	}
	var out []change.Change
	for _, ch := range changes {
		if p.found(d, ch) {
			out = append(out, ch)
		}
	}
	return out
}

func (p *pickaxe) found(d *change.Output, ch change.Change) bool {
	if ch.From.Hash == ch.To.Hash {
		return false
	}
	var a, b []byte
	if ch.Status != 'A' {
		a = d.Read(ch.Old, ch.From, false)
	}
	if ch.Status != 'D' {
		b = d.Read(ch.New, ch.To, true)
	}
	switch {
	case p.count != nil:
		return len(p.count.FindAllIndex(a, -1)) != len(p.count.FindAllIndex(b, -1))
	case p.lines == nil:
		return bytes.Count(a, p.text) != bytes.Count(b, p.text)
	case diff.IsBinary(a) || diff.IsBinary(b):
		return false
	}
	x, y := diff.Lines(a), diff.Lines(b)
	for _, e := range diff.Compare(x, y) {
		for _, l := range append(append([][]byte{}, x[e.A0:e.A1]...), y[e.B0:e.B1]...) {
			if p.lines.Match(bytes.TrimSuffix(l, []byte("\n"))) {
				return true
			}
		}
	}
	return false
}
