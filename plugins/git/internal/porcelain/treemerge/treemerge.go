// Package treemerge merges two sets of files that come from a third.
package treemerge

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A Merge joins what two sides made of the files of a base, as merge-ort.c does, without its
// guesses about renamed directories.
type Merge struct {
	C    *cli.Call
	How  diff.Merging
	side [2]string // what messages call us and them

	Files     repo.Snapshot            // what the working tree has afterwards
	Conflicts map[string]repo.Conflict // what is not decided; files has what to show of it
	Notes     map[string][]string      // what to tell, by path
}

// A Unit is one file as the base and the sides have it, whatever they call it.
type Unit struct {
	Name             string
	Base, Ours, Them repo.File
	note             string    // what is wrong with it already
	names            [3]string // what the base and the sides call it; empty if that is all the same
}

// Trees joins three snapshots. It changes nothing but the objects of the repository.
func Trees(c *cli.Call, base, ours, theirs repo.Snapshot, how diff.Merging) (*Merge, error) {
	m := &Merge{C: c, How: how, side: [2]string{how.Ours, how.Theirs}, Files: repo.Snapshot{},
		Conflicts: map[string]repo.Conflict{}, Notes: map[string][]string{}}
	if style, _ := c.Setting("merge.conflictstyle"); style == "diff3" || style == "zdiff3" {
		m.How.WithBase = true
	}
	units, err := m.units(base, ours, theirs)
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		if err := m.decide(u); err != nil {
			return nil, err
		}
	}
	m.untangle(ours)
	return m, nil
}

// units pairs the files of the three sides, following renames.
func (m *Merge) units(base, ours, theirs repo.Snapshot) ([]Unit, error) {
	left, right := m.renamed(base, ours), m.renamed(base, theirs)
	units := map[string]Unit{}
	done := map[string]bool{} // names that renames have dealt with
	for _, old := range slices.Sorted(maps.Keys(left)) {
		new := left[old]
		other, both := right[old]
		switch _, taken := theirs[new]; {
		case both && other == new:
			units[new] = Unit{Name: new, Base: base[old], Ours: ours[new], Them: theirs[new], names: [3]string{old, new, new}}
		case both:
			if err := m.apart(old, new, other, base[old], ours[new], theirs[other]); err != nil {
				return nil, err
			}
			done[other] = true
		case taken:
			continue
		default:
			units[new] = m.follow(old, new, base[old], ours[new], theirs[old], 0)
		}
		done[old], done[new] = true, true
	}
	for _, old := range slices.Sorted(maps.Keys(right)) {
		new := right[old]
		if _, taken := ours[new]; taken || done[old] {
			continue
		}
		u := m.follow(old, new, base[old], theirs[new], ours[old], 1)
		u.Ours, u.Them = u.Them, u.Ours
		u.names[1], u.names[2] = u.names[2], u.names[1]
		units[new] = u
		done[old], done[new] = true, true
	}
	names := maps.Clone(base)
	maps.Copy(names, ours)
	maps.Copy(names, theirs)
	for name := range names {
		if !done[name] {
			units[name] = Unit{Name: name, Base: base[name], Ours: ours[name], Them: theirs[name]}
		}
	}
	var out []Unit
	for _, name := range slices.Sorted(maps.Keys(units)) {
		out = append(out, units[name])
	}
	return out, nil
}

// renamed returns the new names of the files that a side has renamed.
func (m *Merge) renamed(base, side repo.Snapshot) map[string]string {
	d := &change.Output{Repo: m.C.Repo}
	out := map[string]string{}
	for _, ch := range change.Renames(change.Compare(base, side, nil), d.Read) {
		if ch.Status == 'R' {
			out[ch.Old] = ch.New
		}
	}
	return out
}

// follow is a file that one side, 0 for us, has renamed; the other still has the old name, or
// nothing.
func (m *Merge) follow(old, new string, base, here, there repo.File, side int) Unit {
	u := Unit{Name: new, Base: base, Ours: here, Them: there, names: [3]string{old, new, old}}
	if there == (repo.File{}) {
		u.note = fmt.Sprintf("CONFLICT (rename/delete): %s renamed to %s in %s, but deleted in %s.", old, new, m.side[side], m.side[1-side])
	}
	return u
}

// apart is a file that both sides have renamed, each in its own way. Both get what the merge makes
// of it.
func (m *Merge) apart(old, left, right string, base, ours, theirs repo.File) error {
	m.note(old, "CONFLICT (rename/rename): %s renamed to %s in %s and to %s in %s.", old, left, m.side[0], right, m.side[1])
	_, f, err := m.Text(Unit{Name: old, Base: base, Ours: ours, Them: theirs, names: [3]string{old, left, right}}, ours.Mode)
	if err != nil {
		return err
	}
	switch base.Hash { // who has changed the text, if not both
	case ours.Hash:
		f = theirs
	case theirs.Hash:
		f = ours
	}
	m.Conflicts[old] = repo.Conflict{base}
	m.Conflicts[left] = repo.Conflict{1: f}
	m.Conflicts[right] = repo.Conflict{2: f}
	m.Files[left], m.Files[right] = f, f
	return nil
}

func (m *Merge) note(name, format string, args ...any) {
	m.Notes[name] = append(m.Notes[name], fmt.Sprintf(format, args...))
}

func (m *Merge) decide(u Unit) error {
	none := repo.File{}
	conflict := repo.Conflict{u.Base, u.Ours, u.Them}
	if u.note != "" {
		m.Notes[u.Name] = append(m.Notes[u.Name], u.note)
	}
	switch {
	case u.note != "":
	case u.Ours == u.Them || u.Them == u.Base:
		m.take(u.Name, u.Ours)
		return nil
	case u.Ours == u.Base:
		m.take(u.Name, u.Them)
		return nil
	}
	if u.Ours != none && u.Them != none {
		return m.contents(u, conflict)
	}
	here, there, left := m.side[0], m.side[1], u.Ours
	if left == none {
		here, there, left = there, here, u.Them
	}
	if u.note == "" || left.Hash != u.Base.Hash {
		m.note(u.Name, "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.", u.Name, there, here, here, u.Name)
	}
	m.Conflicts[u.Name], m.Files[u.Name] = conflict, left
	return nil
}

func (m *Merge) take(name string, f repo.File) {
	if f != (repo.File{}) {
		m.Files[name] = f
	}
}

// contents merges a file that both sides have changed.
func (m *Merge) contents(u Unit, conflict repo.Conflict) error {
	mode := u.Ours.Mode
	if mode == u.Base.Mode {
		mode = u.Them.Mode
	}
	if change.Kind(u.Ours.Mode) != change.Kind(u.Them.Mode) {
		m.note(u.Name, "CONFLICT (distinct types): %s had different types on each side; renamed one of them so each can be recorded somewhere.", u.Name)
		m.Conflicts[u.Name], m.Files[u.Name] = conflict, u.Ours
		return nil
	}
	switch u.Base.Hash {
	case u.Ours.Hash:
		m.Files[u.Name] = repo.File{Mode: mode, Hash: u.Them.Hash}
		return nil
	case u.Them.Hash:
		m.Files[u.Name] = repo.File{Mode: mode, Hash: u.Ours.Hash}
		return nil
	}
	if u.Ours.Hash == u.Them.Hash {
		m.Files[u.Name] = repo.File{Mode: mode, Hash: u.Ours.Hash}
		return nil
	}
	m.note(u.Name, "Auto-merging %s", u.Name)
	clean, f, err := m.Text(u, mode)
	if err != nil {
		return err
	}
	m.Files[u.Name] = f
	if clean {
		return nil
	}
	why := "content"
	if u.Base == (repo.File{}) {
		why = "add/add"
	}
	m.note(u.Name, "CONFLICT (%s): Merge conflict in %s", why, u.Name)
	m.Conflicts[u.Name] = conflict
	return nil
}

// Text merges the lines of a file.
func (m *Merge) Text(u Unit, mode filemode.FileMode) (clean bool, f repo.File, err error) {
	var sides [3][]byte
	binary := change.Kind(mode) != change.Kind(filemode.Regular)
	for i, f := range []repo.File{u.Base, u.Ours, u.Them} {
		if f.Hash == repo.Zero || binary {
			continue
		}
		if sides[i], err = m.C.Repo.Blob(f.Hash); err != nil {
			return false, f, err
		}
	}
	binary = binary || slices.ContainsFunc(sides[:], diff.IsBinary)
	switch {
	case binary && m.How.Favor == diff.Theirs:
		return true, repo.File{Mode: mode, Hash: u.Them.Hash}, nil
	case binary && m.How.Favor == diff.Ours:
		return true, u.Ours, nil
	case binary:
		if change.Kind(mode) == change.Kind(filemode.Regular) {
			m.Notes[u.Name] = slices.Insert(m.Notes[u.Name], 0, fmt.Sprintf("warning: Cannot merge binary files: %s (%s vs. %s)", u.Name, m.side[0], m.side[1]))
		}
		return false, u.Ours, nil
	}
	how := m.How
	if u.names != [3]string{} {
		how.Base, how.Ours, how.Theirs = how.Base+":"+u.names[0], how.Ours+":"+u.names[1], how.Theirs+":"+u.names[2]
	}
	merged, conflicts := diff.Merge(sides[0], sides[1], sides[2], how)
	h, err := m.C.Repo.Write(plumbing.BlobObject, merged)
	return conflicts == 0, repo.File{Mode: mode, Hash: h}, err
}

// untangle renames files that stand where a directory is needed.
func (m *Merge) untangle(ours repo.Snapshot) {
	dirs := map[string]bool{}
	for name := range m.Files {
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			dirs[name[:i]] = true
		}
	}
	for _, name := range m.Files.Names() {
		if !dirs[name] {
			continue
		}
		side := 0
		if _, ok := ours[name]; !ok {
			side = 1
		}
		f, conflict := m.Files[name], m.Conflicts[name]
		if conflict == (repo.Conflict{}) {
			conflict[side+1] = f
		}
		moved := name + "~" + strings.NewReplacer("/", "_").Replace(m.side[side])
		m.note(name, "CONFLICT (file/directory): directory in the way of %s from %s; moving it to %s instead.", name, m.side[side], moved)
		delete(m.Files, name)
		delete(m.Conflicts, name)
		m.Files[moved], m.Conflicts[moved] = f, conflict
	}
}

// Clean reports whether there was no conflict.
func (m *Merge) Clean() bool { return len(m.Conflicts) == 0 }

// Tell prints what was merged and what could not be.
func (m *Merge) Tell() {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(m.Notes)) {
		for _, text := range m.Notes[name] {
			b.WriteString(text + "\n")
		}
	}
	m.C.Stdout.Write(b.Bytes())
}

// Paths returns the files in conflict as comments of a commit's message list them.
func (m *Merge) Paths() string {
	var b strings.Builder
	b.WriteString("# Conflicts:\n")
	for _, name := range slices.Sorted(maps.Keys(m.Conflicts)) {
		b.WriteString("#\t" + name + "\n")
	}
	return b.String()
}
