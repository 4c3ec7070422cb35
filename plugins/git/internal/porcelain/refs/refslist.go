// Package refs lists, makes and removes references: branch, tag, describe and the plumbing below
// them.
package refs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/history"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// refFilters are options that choose among branches or tags, and how they are listed.
const refFilters = " contains? no-contains? merged? no-merged? points-at= sort= format= i,ignore-case column? no-column"

// A refInfo is a reference to be listed.
type refInfo struct {
	full   string // its whole name
	hash   plumbing.Hash
	commit *repo.Commit // nil if it is none
	tag    *repo.Tag    // nil if it is none
}

func newRefInfo(c *cli.Call, full string) refInfo {
	r := refInfo{full: full, hash: c.Repo.Ref(full)}
	if t, err := c.Repo.Tag(r.hash); err == nil {
		r.tag = t
	}
	if commit, err := c.Repo.ResolveCommit(full); err == nil {
		r.commit = commit
	}
	return r
}

// short is the reference's name without what all of its kind begin with.
func (r refInfo) short() string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
		if rest, ok := strings.CutPrefix(r.full, prefix); ok {
			return rest
		}
	}
	return r.full
}

func (r refInfo) when() int64 {
	switch {
	case r.tag != nil:
		return r.tag.Tagger.When.Unix()
	case r.commit != nil:
		return r.commit.Committer.When.Unix()
	}
	return 0
}

// operandOptions takes the arguments of options that may stand alone from what follows them: git
// branch --contains COMMIT.
func operandOptions(o *option.Result, names ...string) (args map[string]string, rest []string) {
	args, rest = map[string]string{}, o.Rest()
	for _, name := range names {
		if !o.Has(name) {
			continue
		}
		args[name] = o.Arg(name)
		if args[name] == "" && len(rest) > 0 {
			args[name], rest = rest[0], rest[1:]
		}
		if args[name] == "" {
			args[name] = "HEAD"
		}
	}
	return args, rest
}

// filter returns the references that the options ask for, and the operands that are left.
func filter(c *cli.Call, o *option.Result, refs []refInfo) ([]refInfo, []string, error) {
	args, rest := operandOptions(o, "contains", "no-contains", "merged", "no-merged")
	limits := map[string]plumbing.Hash{}
	for name, rev := range args {
		commit, err := c.Repo.ResolveCommit(rev)
		if err != nil {
			return nil, nil, &cli.Failure{Status: 129, Text: "error: malformed object name " + rev}
		}
		limits[name] = commit.Hash
	}
	if o.Has("points-at") {
		h, err := c.Repo.Resolve(o.Arg("points-at"))
		if err != nil {
			return nil, nil, &cli.Failure{Status: 129, Text: "error: malformed object name '" + o.Arg("points-at") + "'"}
		}
		limits["points-at"] = h
	}
	var out []refInfo
	for _, r := range refs {
		ok, err := passes(c, r, limits)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			out = append(out, r)
		}
	}
	return out, rest, sortRefs(c, o, out)
}

func passes(c *cli.Call, r refInfo, limits map[string]plumbing.Hash) (bool, error) {
	for name, h := range limits {
		if name == "points-at" {
			if r.hash != h && (r.commit == nil || r.commit.Hash != h) {
				return false, nil
			}
			continue
		}
		if r.commit == nil {
			return false, nil
		}
		old, new := h, r.commit.Hash
		if strings.HasSuffix(name, "merged") {
			old, new = new, old
		}
		ok, err := c.Repo.IsAncestor(old, new)
		if err != nil || ok == strings.HasPrefix(name, "no-") {
			return false, err
		}
	}
	return true, nil
}

func sortRefs(c *cli.Call, o *option.Result, refs []refInfo) error {
	for _, key := range o.All("sort") {
		name, reverse := strings.CutPrefix(key, "-")
		var less func(a, b refInfo) int
		switch name {
		case "refname":
			less = func(a, b refInfo) int { return strings.Compare(a.full, b.full) }
		case "committerdate", "creatordate", "taggerdate", "authordate":
			less = func(a, b refInfo) int { return cmp.Compare(a.when(), b.when()) }
		case "version:refname", "v:refname":
			less = func(a, b refInfo) int { return compareVersions(a.full, b.full) }
		case "objectname":
			less = func(a, b refInfo) int { return strings.Compare(a.hash.String(), b.hash.String()) }
		default:
			return cli.Fatal("unknown field name: %s", name)
		}
		slices.SortStableFunc(refs, func(a, b refInfo) int {
			if reverse {
				return less(b, a)
			}
			return less(a, b)
		})
	}
	return nil
}

// compareVersions compares names in which numbers count as such.
func compareVersions(a, b string) int {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	for a != "" && b != "" {
		if digit(a[0]) && digit(b[0]) {
			i, j := 0, 0
			for i < len(a) && digit(a[i]) {
				i++
			}
			for j < len(b) && digit(b[j]) {
				j++
			}
			x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
			if d := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); d != 0 {
				return d
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// expandRef fills a --format: git-for-each-ref(1).
func expandRef(c *cli.Call, template string, r refInfo) (string, error) {
	var b strings.Builder
	for t := template; t != ""; {
		before, rest, ok := strings.Cut(t, "%")
		b.WriteString(before)
		if !ok {
			break
		}
		switch {
		case strings.HasPrefix(rest, "("):
			name, after, closed := strings.Cut(rest[1:], ")")
			if !closed {
				return "", cli.Fatal("malformed format string %%%s", rest)
			}
			text, err := refField(c, name, r)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			t = after
		case strings.HasPrefix(rest, "%"):
			b.WriteByte('%')
			t = rest[1:]
		case len(rest) >= 2:
			n, err := strconv.ParseUint(rest[:2], 16, 8)
			if err != nil {
				b.WriteByte('%')
				t = rest
				continue
			}
			b.WriteByte(byte(n))
			t = rest[2:]
		default:
			b.WriteByte('%')
			t = rest
		}
	}
	return b.String(), nil
}

// hasRole reports whether there is who a field is about: a tag has a tagger, a commit a committer,
// and each of them a creator.
func (r refInfo) hasRole(field string) bool {
	switch {
	case strings.HasPrefix(field, "tagger"):
		return r.tag != nil
	case strings.HasPrefix(field, "committer"):
		return r.tag == nil
	}
	return true
}

// refField returns what stands for %(field) of a reference.
func refField(c *cli.Call, field string, r refInfo) (string, error) {
	if field == "HEAD" {
		if r.full == "refs/heads/"+c.Repo.Branch() {
			return "*", nil
		}
		return " ", nil
	}
	name, how, _ := strings.Cut(field, ":")
	f := &history.Format{}
	message, who := "", repo.Signature{}
	kind := "commit"
	switch {
	case r.tag != nil:
		message, who, kind = r.tag.Message, r.tag.Tagger, "tag"
	case r.commit != nil:
		message, who = r.commit.Message, r.commit.Committer
	}
	switch name {
	case "refname":
		if how == "short" {
			return r.short(), nil
		}
		return r.full, nil
	case "objectname":
		if how == "short" {
			return cli.Abbreviate(r.hash), nil
		}
		return r.hash.String(), nil
	case "objecttype":
		return kind, nil
	case "subject", "contents":
		if name == "contents" && how == "" {
			return message, nil
		}
		return messages.Subject(message), nil
	case "body":
		return messages.Body(message), nil
	case "upstream":
		up, ahead, behind := status.Upstream(c, strings.TrimPrefix(r.full, "refs/heads/"))
		if how == "track" {
			return strings.TrimPrefix(status.AheadBehind(ahead, behind), " "), nil
		}
		if up != "" && how != "short" {
			up = "refs/remotes/" + up
		}
		return up, nil
	case "creatordate", "taggerdate", "committerdate":
		if r.commit == nil || !r.hasRole(name) {
			return "", nil
		}
		return f.When(who.When, how), nil
	case "authordate":
		if r.commit == nil || r.tag != nil {
			return "", nil
		}
		return f.When(r.commit.Author.When, how), nil
	case "authorname", "authoremail", "author":
		if r.commit == nil || r.tag != nil {
			return "", nil
		}
		who = r.commit.Author
	case "committer", "committername", "committeremail", "tagger", "taggername", "taggeremail", "creator":
		if !r.hasRole(name) {
			return "", nil
		}
	case "end", "color":
		return "", nil
	default:
		return "", cli.Fatal("unknown field name: %s", name)
	}
	switch {
	case strings.HasSuffix(name, "name"):
		return who.Name, nil
	case strings.HasSuffix(name, "email"):
		return "<" + who.Email + ">", nil
	}
	return fmt.Sprintf("%s <%s> %d %s", who.Name, who.Email, who.When.Unix(), who.When.Format("-0700")), nil
}

func allRefs(c *cli.Call, prefix string) ([]refInfo, error) {
	names, err := c.Repo.Refs(prefix)
	var refs []refInfo
	for _, name := range names {
		if r := newRefInfo(c, prefix+name); r.hash != repo.Zero {
			refs = append(refs, r)
		}
	}
	return refs, err
}

func ForEachRef(c *cli.Call) error {
	o, err := c.Parse("count= s,shell p,perl python tcl " + refFilters)
	if err != nil {
		return err
	}
	refs, err := allRefs(c, "refs/")
	if err != nil {
		return err
	}
	refs, patterns, err := filter(c, o, refs)
	if err != nil {
		return err
	}
	template := "%(objectname) %(objecttype)\t%(refname)"
	if o.Has("format") {
		template = o.Arg("format")
	}
	n := -1
	if o.Has("count") {
		if n, err = strconv.Atoi(o.Arg("count")); err != nil {
			return cli.Fatal("invalid --count argument: `%s'", o.Arg("count"))
		}
	}
	for _, r := range refs {
		if n == 0 {
			break
		}
		if len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool {
			p = strings.TrimSuffix(p, "/")
			return r.full == p || strings.HasPrefix(r.full, p+"/") || repo.Wild(p, r.full)
		}) {
			continue
		}
		text, err := expandRef(c, template, r)
		if err != nil {
			return err
		}
		c.Printf("%s\n", text)
		n--
	}
	return nil
}

func ShowRef(c *cli.Call) error {
	o, err := c.Parse("head heads tags d,dereference s,hash? verify q,quiet abbrev? exclude-existing?")
	if err != nil {
		return err
	}
	refs, err := allRefs(c, "refs/")
	if err != nil {
		return err
	}
	if o.Has("head") {
		refs = append([]refInfo{{full: "HEAD", hash: c.Repo.Head()}}, refs...)
	}
	found := false
	show := func(r refInfo) {
		found = true
		if o.Has("q") {
			return
		}
		id := r.hash.String()
		if n, err := strconv.Atoi(o.Arg("s")); err == nil {
			id = id[:min(max(n, 4), 40)]
		} else if o.Has("abbrev") {
			id = cli.Abbreviate(r.hash)
		}
		if o.Has("s") {
			c.Printf("%s\n", id)
			return
		}
		c.Printf("%s %s\n", id, r.full)
		if o.Has("d") && r.tag != nil && r.commit != nil {
			c.Printf("%s %s^{}\n", r.commit.Hash, r.full)
		}
	}
	if o.Has("verify") {
		for _, name := range o.Rest() {
			h := c.Repo.Ref(name)
			switch {
			case h != repo.Zero && (strings.HasPrefix(name, "refs/") || name == "HEAD"):
				show(refInfo{full: name, hash: h})
			case o.Has("q"):
				return cli.Quiet(1)
			default:
				return cli.Fatal("'%s' - not a valid ref", name)
			}
		}
		return nil
	}
	for _, r := range refs {
		if (o.Has("heads") || o.Has("tags")) && !(o.Has("heads") && strings.HasPrefix(r.full, "refs/heads/")) && !(o.Has("tags") && strings.HasPrefix(r.full, "refs/tags/")) {
			continue
		}
		patterns := o.Rest()
		if len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool { return r.full == p || strings.HasSuffix(r.full, "/"+p) }) {
			continue
		}
		show(r)
	}
	if !found {
		return cli.Quiet(1)
	}
	return nil
}

func SymbolicRef(c *cli.Call) error {
	o, err := c.Parse("short q,quiet d,delete m= recurse no-recurse")
	if err != nil {
		return err
	}
	args := o.Rest()
	switch len(args) {
	case 1:
		target := c.Repo.Target(args[0])
		switch {
		case target == "" && o.Has("q"):
			return cli.Quiet(1)
		case target == "":
			return cli.Fatal("ref %s is not a symbolic ref", args[0])
		case o.Has("short"):
			target = refInfo{full: target}.short()
		}
		c.Printf("%s\n", target)
		return nil
	case 2:
		if args[0] == "HEAD" && !strings.HasPrefix(args[1], "refs/") {
			return cli.Fatal("Refusing to point HEAD outside of refs/")
		}
		return c.Repo.SetTarget(args[0], args[1])
	}
	return &cli.Failure{Status: 129, Text: "usage: " + c.Usage}
}

func UpdateRef(c *cli.Call) error {
	o, err := c.Parse("d m= no-deref create-reflog stdin z")
	if err != nil {
		return err
	}
	args := o.Rest()
	if o.Has("stdin") {
		return cli.Fatal("update-ref --stdin is not supported in this sandbox")
	}
	if len(args) < 1 || !o.Has("d") && len(args) < 2 {
		return &cli.Failure{Status: 129, Text: "usage: " + c.Usage}
	}
	name := args[0]
	if name != "HEAD" && (!strings.HasPrefix(name, "refs/") || !repo.ValidName(strings.TrimPrefix(name, "refs/"))) {
		return cli.Fatal("update_ref failed for ref '%s': refusing to update ref with bad name '%s'", name, name)
	}
	if o.Has("d") {
		return c.Repo.RemoveRef(name)
	}
	h, err := c.Repo.Resolve(args[1])
	if err != nil {
		return cli.Fatal("%s: not a valid SHA1", args[1])
	}
	old := c.Repo.Ref(name)
	if len(args) > 2 {
		want, err := c.Repo.Resolve(args[2])
		if err != nil && strings.Trim(args[2], "0") != "" {
			return cli.Fatal("%s: not a valid SHA1", args[2])
		}
		if want != old {
			return cli.Fatal("update_ref failed for ref '%s': cannot lock ref '%s': is at %s but expected %s", name, name, old, want)
		}
	}
	if name == "HEAD" {
		return c.Repo.SetHead(h, o.Arg("m"))
	}
	if err := c.Repo.SetRef(name, h); err != nil {
		return err
	}
	return c.Repo.Log(name, old, h, o.Arg("m"))
}
