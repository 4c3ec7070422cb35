package protect

import (
	"slices"
	"strings"
)

// harmlessKeys are variables that have git run nothing and read no further configuration. All
// others count as dangerous: git gets new variables that name a program with almost each release,
// and tools around it have their own. What ordinary work writes into a repository's configuration
// is here: clone, remote, branch, submodule, worktree, sparse-checkout and gh.
var harmlessKeys = wordSet(`
	core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
	core.symlinks core.autocrlf core.eol core.safecrlf core.sparsecheckout core.sparsecheckoutcone core.compression
	core.untrackedcache core.abbrev core.quotepath core.sharedrepository core.commitgraph core.multipackindex
	pull.rebase pull.ff
	extensions.worktreeconfig extensions.partialclone extensions.objectformat extensions.compatobjectformat
	extensions.refstorage extensions.relativeworktrees extensions.preciousobjects
	user.name user.email author.name author.email committer.name committer.email
	init.defaultbranch commit.verbose commit.gpgsign commit.status commit.cleanup tag.sort tag.gpgsign
	merge.conflictstyle merge.ff merge.log merge.stat merge.renames merge.autostash merge.directoryrenames
	diff.algorithm diff.colormoved diff.colormovedws diff.renames diff.renamelimit diff.context diff.mnemonicprefix diff.noprefix
	diff.submodule diff.ignoresubmodules diff.wserrorhighlight diff.indentheuristic diff.statgraphwidth
	index.version index.threads index.sparse feature.manyfiles feature.experimental fetch.writecommitgraph
	submodule.active submodule.recurse submodule.fetchjobs submodule.propagatebranches
	lfs.repositoryformatversion lfs.locksverify gc.auto gc.autodetach gc.pruneexpire gc.reflogexpire gc.writecommitgraph
	maintenance.auto maintenance.strategy rerere.enabled rerere.autoupdate blame.date grep.linenumber grep.patterntype
	stash.showpatch stash.showstat worktree.guessremote worktree.userelativepaths`)

// harmlessSections have nothing but such variables, when they have no subsection.
var harmlessSections = wordSet("advice color column fetch log push rebase status checkout")

// harmlessSubkeys are variables of sections with a subsection, by section.
var harmlessSubkeys = map[string]map[string]bool{
	"remote": wordSet(`url pushurl fetch push tagopt prune prunetags mirror skipdefaultupdate skipfetchall promisor
		partialclonefilter followremotehead gh-resolved`),
	"submodule": wordSet("url active update branch fetchrecursesubmodules ignore shallow"),
	"lfs":       wordSet("access locksverify"),
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// harmless reports whether a variable has git run nothing, whatever the others are.
func (e entry) harmless() bool {
	if !e.divided {
		if e.name() == "remote.pushdefault" { // may be a URL
			return plainURL(e.value)
		}
		return harmlessKeys[e.name()] || harmlessSections[e.section]
	}
	switch {
	case e.section == "color":
		return true
	case e.section == "branch":
		switch e.key {
		case "mergeoptions": // may name a strategy, which is a program
			return false
		case "remote", "pushremote": // may be a URL
			return plainURL(e.value)
		}
		return true
	case !harmlessSubkeys[e.section][e.key]:
		return false
	case e.key == "url" || e.key == "pushurl":
		return plainURL(e.value)
	case e.section == "submodule" && e.key == "update":
		return !strings.HasPrefix(e.value, "!")
	}
	return true
}

// plainURL reports whether git reaches a URL by itself. In "ext::sh -c x" the first word names a
// program that does, and may have it run another.
func plainURL(url string) bool {
	i := strings.IndexFunc(url, func(r rune) bool { return r > 'z' || !isKeyByte(byte(r)) && r != '+' && r != '.' && r != '_' })
	return !strings.HasPrefix(url, "-") && (i < 0 || !strings.HasPrefix(url[i:], "::"))
}

// dangerous returns the entries that are not harmless, in their order, which counts.
func dangerous(entries []entry, allowed func(entry) bool) []entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.harmless() || allowed != nil && allowed(e) })
}

// A verdict says what becomes of a file that a command changed or made.
type verdict struct {
	keep bool   // it stays as the command left it
	told bool   // and this is worth telling
	why  string // what in it counts, for people
	// harmless is what is put in its place, if there is something. Else it is what was there
	// before.
	harmless []byte
}

// judgeConfig decides about a config file that was changed. allowed says what else is harmless in
// this one; it may be nil.
func judgeConfig(was, now []byte, allowed func(entry) bool) verdict {
	before, err := parseConfig(was)
	if err != nil {
		return verdict{why: "what was there before can't be read as git does"}
	}
	after, err := parseConfig(now)
	if err != nil {
		return verdict{why: "it can't be read as git does"}
	}
	old, new := dangerous(before, allowed), dangerous(after, allowed)
	if !slices.Equal(old, new) {
		changed := slices.Concat(difference(new, old), difference(old, new))
		if len(changed) == 0 { // they are the same, in another order or number
			changed = new
		}
		return verdict{why: names(changed)}
	}
	if moved := urls(before, after); len(moved) > 0 {
		return verdict{keep: true, told: true, why: names(moved)}
	}
	return verdict{keep: true}
}

// judgeNewConfig decides about a config file that was not there before.
func judgeNewConfig(now []byte, allowed func(entry) bool) verdict {
	after, err := parseConfig(now)
	if err != nil { // a repository without it works
		return verdict{why: "it can't be read as git does"}
	}
	bad := dangerous(after, allowed)
	if len(bad) == 0 {
		return verdict{keep: true}
	}
	rest := slices.DeleteFunc(slices.Clone(after), func(e entry) bool { return slices.Contains(bad, e) })
	return verdict{why: names(bad), harmless: formatConfig(rest)}
}

// difference returns the entries of a that b lacks.
func difference(a, b []entry) []entry {
	return slices.DeleteFunc(slices.Clone(a), func(e entry) bool { return slices.Contains(b, e) })
}

// urls returns what leads known remotes elsewhere.
func urls(before, after []entry) []entry {
	isURL := func(e entry) bool { return e.section == "remote" && (e.key == "url" || e.key == "pushurl") }
	var moved []entry
	for _, e := range after {
		if isURL(e) && !slices.Contains(before, e) &&
			slices.ContainsFunc(before, func(b entry) bool { return isURL(b) && b.subsection == e.subsection }) {
			moved = append(moved, e)
		}
	}
	return moved
}

// names lists the variables, each once, and not more than a line takes.
func names(entries []entry) string {
	var out []string
	for _, e := range entries {
		if name := Printable(e.name()); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) > 5 {
		out = append(out[:5], "…")
	}
	return strings.Join(out, ", ")
}
