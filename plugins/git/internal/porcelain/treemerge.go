package porcelain

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A treeMerge joins what two sides made of the files of a base, as merge-ort.c does, without its
// guesses about renamed directories.
type treeMerge struct {
	c    *call
	how  diff.Merging
	side [2]string // what messages call us and them

	files     repo.Snapshot            // what the working tree has afterwards
	conflicts map[string]repo.Conflict // what is not decided; files has what to show of it
	notes     map[string][]string      // what to tell, by path
}

// A unit is one file as the base and the sides have it, whatever they call it.
type unit struct {
	name             string
	base, ours, them repo.File
	note             string    // what is wrong with it already
	names            [3]string // what the base and the sides call it; empty if that is all the same
}

// mergeTrees joins three snapshots. It changes nothing but the objects of the repository.
func (c *call) mergeTrees(base, ours, theirs repo.Snapshot, how diff.Merging) (*treeMerge, error) {
	m := &treeMerge{c: c, how: how, side: [2]string{how.Ours, how.Theirs}, files: repo.Snapshot{},
		conflicts: map[string]repo.Conflict{}, notes: map[string][]string{}}
	if style, _ := c.setting("merge.conflictstyle"); style == "diff3" || style == "zdiff3" {
		m.how.WithBase = true
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
func (m *treeMerge) units(base, ours, theirs repo.Snapshot) ([]unit, error) {
	left, right := m.renamed(base, ours), m.renamed(base, theirs)
	units := map[string]unit{}
	done := map[string]bool{} // names that renames have dealt with
	for _, old := range slices.Sorted(maps.Keys(left)) {
		new := left[old]
		other, both := right[old]
		switch _, taken := theirs[new]; {
		case both && other == new:
			units[new] = unit{name: new, base: base[old], ours: ours[new], them: theirs[new], names: [3]string{old, new, new}}
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
		u.ours, u.them = u.them, u.ours
		u.names[1], u.names[2] = u.names[2], u.names[1]
		units[new] = u
		done[old], done[new] = true, true
	}
	names := maps.Clone(base)
	maps.Copy(names, ours)
	maps.Copy(names, theirs)
	for name := range names {
		if !done[name] {
			units[name] = unit{name: name, base: base[name], ours: ours[name], them: theirs[name]}
		}
	}
	var out []unit
	for _, name := range slices.Sorted(maps.Keys(units)) {
		out = append(out, units[name])
	}
	return out, nil
}

// renamed returns the new names of the files that a side has renamed.
func (m *treeMerge) renamed(base, side repo.Snapshot) map[string]string {
	d := &diffOutput{repo: m.c.repo}
	out := map[string]string{}
	for _, ch := range renames(compare(base, side, nil), d.read) {
		if ch.status == 'R' {
			out[ch.old] = ch.new
		}
	}
	return out
}

// follow is a file that one side, 0 for us, has renamed; the other still has the old name, or nothing.
func (m *treeMerge) follow(old, new string, base, here, there repo.File, side int) unit {
	u := unit{name: new, base: base, ours: here, them: there, names: [3]string{old, new, old}}
	if there == (repo.File{}) {
		u.note = fmt.Sprintf("CONFLICT (rename/delete): %s renamed to %s in %s, but deleted in %s.", old, new, m.side[side], m.side[1-side])
	}
	return u
}

// apart is a file that both sides have renamed, each in its own way. Both get what the merge makes of it.
func (m *treeMerge) apart(old, left, right string, base, ours, theirs repo.File) error {
	m.note(old, "CONFLICT (rename/rename): %s renamed to %s in %s and to %s in %s.", old, left, m.side[0], right, m.side[1])
	_, f, err := m.text(unit{name: old, base: base, ours: ours, them: theirs, names: [3]string{old, left, right}}, ours.Mode)
	if err != nil {
		return err
	}
	switch base.Hash { // who has changed the text, if not both
	case ours.Hash:
		f = theirs
	case theirs.Hash:
		f = ours
	}
	m.conflicts[old] = repo.Conflict{base}
	m.conflicts[left] = repo.Conflict{1: f}
	m.conflicts[right] = repo.Conflict{2: f}
	m.files[left], m.files[right] = f, f
	return nil
}

func (m *treeMerge) note(name, format string, args ...any) {
	m.notes[name] = append(m.notes[name], fmt.Sprintf(format, args...))
}

func (m *treeMerge) decide(u unit) error {
	none := repo.File{}
	conflict := repo.Conflict{u.base, u.ours, u.them}
	if u.note != "" {
		m.notes[u.name] = append(m.notes[u.name], u.note)
	}
	switch {
	case u.note != "":
	case u.ours == u.them || u.them == u.base:
		m.take(u.name, u.ours)
		return nil
	case u.ours == u.base:
		m.take(u.name, u.them)
		return nil
	}
	if u.ours != none && u.them != none {
		return m.contents(u, conflict)
	}
	here, there, left := m.side[0], m.side[1], u.ours
	if left == none {
		here, there, left = there, here, u.them
	}
	if u.note == "" || left.Hash != u.base.Hash {
		m.note(u.name, "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.", u.name, there, here, here, u.name)
	}
	m.conflicts[u.name], m.files[u.name] = conflict, left
	return nil
}

func (m *treeMerge) take(name string, f repo.File) {
	if f != (repo.File{}) {
		m.files[name] = f
	}
}

// contents merges a file that both sides have changed.
func (m *treeMerge) contents(u unit, conflict repo.Conflict) error {
	mode := u.ours.Mode
	if mode == u.base.Mode {
		mode = u.them.Mode
	}
	if kind(u.ours.Mode) != kind(u.them.Mode) {
		m.note(u.name, "CONFLICT (distinct types): %s had different types on each side; renamed one of them so each can be recorded somewhere.", u.name)
		m.conflicts[u.name], m.files[u.name] = conflict, u.ours
		return nil
	}
	switch u.base.Hash {
	case u.ours.Hash:
		m.files[u.name] = repo.File{Mode: mode, Hash: u.them.Hash}
		return nil
	case u.them.Hash:
		m.files[u.name] = repo.File{Mode: mode, Hash: u.ours.Hash}
		return nil
	}
	if u.ours.Hash == u.them.Hash {
		m.files[u.name] = repo.File{Mode: mode, Hash: u.ours.Hash}
		return nil
	}
	m.note(u.name, "Auto-merging %s", u.name)
	clean, f, err := m.text(u, mode)
	if err != nil {
		return err
	}
	m.files[u.name] = f
	if clean {
		return nil
	}
	why := "content"
	if u.base == (repo.File{}) {
		why = "add/add"
	}
	m.note(u.name, "CONFLICT (%s): Merge conflict in %s", why, u.name)
	m.conflicts[u.name] = conflict
	return nil
}

// text merges the lines of a file.
func (m *treeMerge) text(u unit, mode filemode.FileMode) (clean bool, f repo.File, err error) {
	var sides [3][]byte
	binary := kind(mode) != kind(filemode.Regular)
	for i, f := range []repo.File{u.base, u.ours, u.them} {
		if f.Hash == repo.Zero || binary {
			continue
		}
		if sides[i], err = m.c.repo.Blob(f.Hash); err != nil {
			return false, f, err
		}
	}
	binary = binary || slices.ContainsFunc(sides[:], diff.IsBinary)
	switch {
	case binary && m.how.Favor == diff.Theirs:
		return true, repo.File{Mode: mode, Hash: u.them.Hash}, nil
	case binary && m.how.Favor == diff.Ours:
		return true, u.ours, nil
	case binary:
		if kind(mode) == kind(filemode.Regular) {
			m.notes[u.name] = slices.Insert(m.notes[u.name], 0, fmt.Sprintf("warning: Cannot merge binary files: %s (%s vs. %s)", u.name, m.side[0], m.side[1]))
		}
		return false, u.ours, nil
	}
	how := m.how
	if u.names != [3]string{} {
		how.Base, how.Ours, how.Theirs = how.Base+":"+u.names[0], how.Ours+":"+u.names[1], how.Theirs+":"+u.names[2]
	}
	merged, conflicts := diff.Merge(sides[0], sides[1], sides[2], how)
	h, err := m.c.repo.Write(plumbing.BlobObject, merged)
	return conflicts == 0, repo.File{Mode: mode, Hash: h}, err
}

// untangle renames files that stand where a directory is needed.
func (m *treeMerge) untangle(ours repo.Snapshot) {
	dirs := map[string]bool{}
	for name := range m.files {
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			dirs[name[:i]] = true
		}
	}
	for _, name := range m.files.Names() {
		if !dirs[name] {
			continue
		}
		side := 0
		if _, ok := ours[name]; !ok {
			side = 1
		}
		f, conflict := m.files[name], m.conflicts[name]
		if conflict == (repo.Conflict{}) {
			conflict[side+1] = f
		}
		moved := name + "~" + strings.NewReplacer("/", "_").Replace(m.side[side])
		m.note(name, "CONFLICT (file/directory): directory in the way of %s from %s; moving it to %s instead.", name, m.side[side], moved)
		delete(m.files, name)
		delete(m.conflicts, name)
		m.files[moved], m.conflicts[moved] = f, conflict
	}
}

// clean reports whether there was no conflict.
func (m *treeMerge) clean() bool { return len(m.conflicts) == 0 }

// tell prints what was merged and what could not be.
func (m *treeMerge) tell() {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(m.notes)) {
		for _, text := range m.notes[name] {
			b.WriteString(text + "\n")
		}
	}
	m.c.stdout.Write(b.Bytes())
}

// paths returns the files in conflict as comments of a commit's message list them.
func (m *treeMerge) paths() string {
	var b strings.Builder
	b.WriteString("# Conflicts:\n")
	for _, name := range slices.Sorted(maps.Keys(m.conflicts)) {
		b.WriteString("#\t" + name + "\n")
	}
	return b.String()
}
