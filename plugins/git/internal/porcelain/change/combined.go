package change

import (
	"fmt"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A joined file is one of a merge, as the parents and the result have it.
type joined struct {
	name    string
	parents []repo.File
	result  repo.File
	onDisk  bool // whether the result is the file of the working tree, and no object
}

// Combined writes what a merge made of a file, as one patch: git diff --cc.
func (d *Output) Combined(w io.Writer, j joined) {
	if j.onDisk {
		d.Disk = true
	}
	none := repo.File{}
	var texts [][]byte
	var hashes, modes []string
	binary, same := false, true
	for _, f := range j.parents {
		var b []byte
		if f != none {
			b = d.Read(j.name, f, false)
		}
		texts = append(texts, b)
		hashes = append(hashes, cli.Abbreviate(f.Hash))
		modes = append(modes, fmt.Sprintf("%06o", uint32(f.Mode)))
		binary = binary || diff.IsBinary(b)
		same = same && f.Mode == j.result.Mode
	}
	var text []byte
	if j.result != none {
		text = d.Read(j.name, j.result, true)
	}
	to := cli.Abbreviate(j.result.Hash)
	if j.onDisk {
		to = cli.Abbreviate(repo.Zero)
	}
	head := func() {
		line := func(format string, args ...any) {
			fmt.Fprintln(w, d.Paint(cli.MetaColor, fmt.Sprintf(format, args...)))
		}
		line("diff --cc %s", cli.Quote(j.name))
		line("index %s..%s", strings.Join(hashes, ","), to)
		old, new := cli.Quote("a/"+j.name), cli.Quote("b/"+j.name)
		switch {
		case j.result == none:
			line("deleted file mode %s", strings.Join(modes, ","))
			new = "/dev/null"
		case strings.Count(strings.Join(modes, ","), "000000") == len(modes):
			line("new file mode %06o", uint32(j.result.Mode))
			old = "/dev/null"
		case !same:
			line("mode %s..%06o", strings.Join(modes, ","), uint32(j.result.Mode))
		}
		if binary {
			fmt.Fprintln(w, "Binary files differ")
			return
		}
		line("--- %s", old)
		line("+++ %s", new)
	}
	switch {
	case binary || diff.IsBinary(text):
		binary = true
		head()
	case j.result == none || !same && j.onDisk:
		head()
		if j.result != none {
			diff.WriteCombined(w, texts, text, d.Context, true, d.Paint.On(), nil)
		}
	default:
		diff.WriteCombined(w, texts, text, d.Context, true, d.Paint.On(), head)
	}
}

// JoinedFiles returns the files of a merge that are otherwise in all its parents.
func JoinedFiles(c *cli.Call, commit *repo.Commit, paths repo.Paths) ([]joined, error) {
	result, err := c.Repo.Tree(commit.Hash)
	if err != nil {
		return nil, err
	}
	var sides []repo.Snapshot
	names := map[string]int{}
	all := repo.Snapshot{}
	for _, h := range commit.ParentHashes {
		side, err := c.Repo.Tree(h)
		if err != nil {
			return nil, err
		}
		for _, ch := range Compare(side, result, paths) {
			names[ch.New]++
			all[ch.New] = repo.File{}
		}
		sides = append(sides, side)
	}
	var out []joined
	for _, name := range all.Names() {
		if names[name] < len(sides) {
			continue
		}
		j := joined{name: name, result: result[name]}
		for _, side := range sides {
			j.parents = append(j.parents, side[name])
		}
		out = append(out, j)
	}
	return out, nil
}
