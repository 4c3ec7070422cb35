package remotes

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// An endpoint is another repository: a directory here, or one that a server has.
type endpoint interface {
	// advertised returns its references; push says that they are asked for to be changed.
	advertised(push bool) (*advertisement, error)
	// fetch brings what wants are made of into a repository. Where depth is not 0 history ends
	// there.
	fetch(to *repo.Repo, wants []plumbing.Hash, depth int) error
	// push changes references, and brings the objects for it. It sets the reason of each that is
	// refused.
	push(from *repo.Repo, updates []*update) error
}

// An advertisement is what an endpoint has.
type advertisement struct {
	refs []advertised // HEAD first, then by name
	head string       // the branch that HEAD is on, in full; "" if it is on none, or not known
}

type advertised struct {
	name   string
	h      plumbing.Hash
	peeled plumbing.Hash // what a tag stands for; Zero if it is no object of its own
}

func (a *advertisement) find(name string) (advertised, bool) {
	for _, r := range a.refs {
		if r.name == name {
			return r, true
		}
	}
	return advertised{}, false
}

// guess finds what a short name stands for.
func (a *advertisement) guess(name string) (advertised, bool) {
	for _, prefix := range guesses {
		if r, ok := a.find(prefix + name); ok {
			return r, true
		}
	}
	return advertised{}, false
}

// An update is a reference of an endpoint that a push changes.
type update struct {
	src      string // what the command line calls it, or a full name; "" to delete
	dst      string
	old, now plumbing.Hash
	force    bool
	forced   bool   // whether history is lost by it
	refused  string // why we don't ask for it; "" if we do
	remote   string // why the other side does not do it; "" if it does
}

// open finds the endpoint that a URL or a path names.
func open(c *cli.Call, url string) (endpoint, error) {
	switch scheme := schemeOf(url); scheme {
	case "http", "https":
		return newSmart(c, url)
	case "file":
		return openLocal(c, strings.TrimPrefix(url, "file://"), url)
	case "":
		return openLocal(c, url, url)
	default:
		return nil, cli.Fatal("%s: %s is not supported in this sandbox: use https", url, scheme)
	}
}

// schemeOf returns by what a repository is reached: "" for a path, "ssh" for HOST:PATH too.
func schemeOf(url string) string {
	if scheme, _, isURL := strings.Cut(url, "://"); isURL {
		return scheme
	}
	if host, _, isSSH := strings.Cut(url, ":"); isSSH && !strings.Contains(host, "/") {
		return "ssh"
	}
	return ""
}

// A local endpoint is a repository in a directory.
type local struct {
	c *cli.Call
	r *repo.Repo
}

func openLocal(c *cli.Call, path, shown string) (endpoint, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	for _, p := range []string{path, path + ".git"} {
		for _, at := range []struct{ top, dir string }{{p, filepath.Join(p, ".git")}, {"", p}} {
			if _, err := os.Stat(filepath.Join(at.dir, "HEAD")); err != nil {
				continue
			}
			r, err := repo.Open(at.top, at.dir, "")
			return &local{c, r}, err
		}
	}
	return nil, cli.Fatal("'%s' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n"+
		"Please make sure you have the correct access rights\nand the repository exists.", shown)
}

func (l *local) advertised(bool) (*advertisement, error) {
	a := &advertisement{}
	if b := l.r.Branch(); b != "" {
		a.head = "refs/heads/" + b
	}
	if h := l.r.Head(); h != repo.Zero {
		a.refs = append(a.refs, advertised{name: "HEAD", h: h})
	}
	names, err := l.r.Refs("refs/")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		name = "refs/" + name
		h := l.r.Ref(name)
		if h == repo.Zero || !safeRef(name) {
			continue
		}
		r := advertised{name: name, h: h}
		if commit, err := l.r.ResolveCommit(name); err == nil && commit.Hash != h {
			r.peeled = commit.Hash
		}
		a.refs = append(a.refs, r)
	}
	return a, nil
}

func (l *local) fetch(to *repo.Repo, wants []plumbing.Hash, depth int) error {
	return to.CopyFrom(l.r, wants) // git does not know depth between directories either
}

func (l *local) push(from *repo.Repo, updates []*update) error {
	var wants []plumbing.Hash
	for _, u := range updates {
		if u.now != repo.Zero {
			wants = append(wants, u.now)
		}
	}
	if err := l.r.CopyFrom(from, wants); err != nil {
		return err
	}
	for _, u := range updates {
		if l.r.Ref(u.dst) != u.old {
			u.remote = "failed to update ref"
			continue
		}
		if l.r.Top != "" && u.dst == "refs/heads/"+l.r.Branch() {
			deny, _ := l.r.Config.Get("receive.denycurrentbranch")
			if deny == "" || deny == "refuse" || deny == "true" || u.now == repo.Zero {
				l.refuse(u)
				continue
			}
		}
		if l.denied(u) {
			continue
		}
		if u.now == repo.Zero {
			if err := l.r.RemoveRef(u.dst); err != nil {
				return err
			}
			continue
		}
		if err := l.r.SetRef(u.dst, u.now); err != nil {
			return err
		}
		if err := l.r.Log(u.dst, u.old, u.now, "push"); err != nil {
			return err
		}
	}
	return nil
}

// denied refuses what the repository lets nobody do to its branches.
func (l *local) denied(u *update) bool {
	set := func(key string) bool { value, _ := l.r.Config.Get(key); return value == "true" }
	switch {
	case !strings.HasPrefix(u.dst, "refs/heads/"):
		return false
	case u.now == repo.Zero && set("receive.denydeletes"):
		u.remote = "deletion prohibited"
		tell(l.c, "error: denying ref deletion for "+u.dst)
	case u.forced && set("receive.denynonfastforwards"):
		u.remote = "non-fast-forward"
		tell(l.c, "error: denying non-fast-forward "+u.dst+" (you should pull first)")
	}
	return u.remote != ""
}

// refuse leaves the branch alone that somebody works on.
func (l *local) refuse(u *update) {
	if u.now == repo.Zero {
		u.remote = "deletion of the current branch prohibited"
		tell(l.c, "error: refusing to delete the current branch: "+u.dst+"\n")
		return
	}
	u.remote = "branch is currently checked out"
	tell(l.c, "error: refusing to update checked out branch: "+u.dst+"\n"+deniedCurrent)
}

const deniedCurrent = `error: By default, updating the current branch in a non-bare repository
is denied, because it will make the index and work tree inconsistent
with what you pushed, and will require 'git reset --hard' to match
the work tree to HEAD.

You can set the 'receive.denyCurrentBranch' configuration variable
to 'ignore' or 'warn' in the remote repository to allow pushing into
its current branch; however, this is not recommended unless you
arranged to update its work tree to match what you pushed in some
other way.

To squelch this message and still keep the default behaviour, set
'receive.denyCurrentBranch' configuration variable to 'refuse'.
`

// tell passes on what the other side says, as git does: each line says that it is theirs, and is
// followed by the spaces that cover what stood there at a terminal.
func tell(c *cli.Call, text string) {
	for line := range strings.Lines(text) {
		line = printable(strings.TrimRight(line, "\r\n"))
		if line != "" {
			line += "        "
		}
		cli.Printer{W: c.Stderr}.Printf("remote: %s\n", line)
	}
}

// printable is text of another machine's without what steers a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || 0x80 <= r && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
