package remotes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const noDestination = `No configured push destination.
Either specify the URL from the command-line or configure a remote repository using

    git remote add <name> <url>

and then push using the remote name

    git push <name>
` + "\n"

// Push changes the references of another repository, and brings what they need.
func Push(c *cli.Call) error {
	o, err := c.Parse("u,set-upstream f,force d,delete tags all mirror n,dry-run q,quiet v,verbose porcelain force-with-lease? " +
		"no-force-with-lease force-if-includes no-verify follow-tags no-follow-tags atomic o,push-option= progress no-progress thin no-thin " +
		"4,ipv4 6,ipv6 repo= no-signed recurse-submodules= no-recurse-submodules")
	if err != nil {
		return err
	}
	args := o.Rest()
	branch := c.Repo.Branch()
	name := o.Arg("repo")
	if name == "" {
		name = pushRemote(c, branch)
	}
	if len(args) > 0 {
		name, args = args[0], args[1:]
	} else if name == "origin" && remoteNamed(c, name).name == "" {
		return cli.Fatal("%s", noDestination)
	}
	to := remoteNamed(c, name)
	specs, err := pushSpecs(c, o, to, branch, args)
	if err != nil {
		return err
	}
	end, err := open(c, to.pushURL)
	if err != nil {
		return err
	}
	there, err := end.advertised(true)
	if err != nil {
		return err
	}
	failed := fmt.Sprintf("error: failed to push some refs to '%s'", withoutPassword(to.pushURL))
	var updates []*update
	for _, s := range specs {
		list, err := updatesOf(c, there, s)
		if err != nil {
			return &cli.Failure{Status: 1, Text: err.Error() + "\n" + failed}
		}
		updates = append(updates, list...)
	}
	r := &pushed{c: c, o: o, to: to, branch: branch}
	if err := r.judge(updates); err != nil {
		return err
	}
	var asked []*update
	for _, u := range updates {
		if u.refused == "" && u.old != u.now {
			asked = append(asked, u)
		}
	}
	if o.Has("atomic") && len(asked) < len(updates) && slices.ContainsFunc(updates, func(u *update) bool { return u.refused != "" }) {
		for _, u := range asked {
			u.refused = "atomic push failed"
		}
		asked = nil
	}
	if len(asked) > 0 && !o.Has("n") {
		if err := end.push(c.Repo, asked); err != nil {
			return err
		}
	}
	ok := r.tell(updates)
	if !o.Has("n") {
		if err := r.follow(updates, specs); err != nil {
			return err
		}
	}
	if o.Has("porcelain") && ok {
		c.Printf("Done\n")
	}
	if !ok {
		return &cli.Failure{Status: 1, Text: failed + r.advice(updates)}
	}
	return nil
}

func pushRemote(c *cli.Call, branch string) string {
	for _, key := range []string{"branch." + branch + ".pushremote", "remote.pushdefault"} {
		if name, ok := c.Repo.Config.Get(key); ok {
			return name
		}
	}
	return usual(c, branch)
}

// pushSpecs is what the command line asks for, or what push.default says.
func pushSpecs(c *cli.Call, o *option.Result, to remote, branch string, args []string) (specs []refspec, err error) {
	force := o.Has("f") || o.Has("force-with-lease") && !o.Has("no-force-with-lease")
	defer func() {
		for i := range specs {
			specs[i].force = specs[i].force || force
		}
	}()
	if o.Has("mirror") {
		return nil, cli.Fatal("push --mirror is not supported in this sandbox")
	}
	for i := 0; i < len(args); i++ {
		s := parseRefspec(args[i])
		switch {
		case args[i] == "tag" && i+1 < len(args):
			i++
			s = refspec{src: "refs/tags/" + args[i], dst: "refs/tags/" + args[i], pair: true}
		case o.Has("d") && s.pair:
			return nil, cli.Fatal("--delete only accepts plain target ref names")
		case o.Has("d"):
			s = refspec{dst: s.src, pair: true}
		}
		specs = append(specs, s)
	}
	if o.Has("d") && len(args) == 0 {
		return nil, cli.Fatal("--delete doesn't make sense without any refs")
	}
	for option, pattern := range map[string]string{"all": "refs/heads/*", "tags": "refs/tags/*"} {
		if o.Has(option) {
			specs = append(specs, refspec{src: pattern, dst: pattern, pair: true})
		}
	}
	if len(specs) > 0 {
		return specs, nil
	}
	name := to.name
	if name == "" {
		name = to.url
	}
	if branch == "" {
		return nil, cli.Fatal("You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\n"+
			"state now, use\n\n    git push %s HEAD:<name-of-remote-branch>\n\n", name)
	}
	full := "refs/heads/" + branch
	how, _ := c.Setting("push.default")
	merge, _ := c.Repo.Config.Get("branch." + branch + ".merge")
	own, _ := c.Repo.Config.Get("branch." + branch + ".remote")
	auto, _ := c.Setting("push.autosetupremote")
	switch {
	case how == "current" || own != to.name && own != "" || o.Has("u") || auto == "true" && merge == "":
		return []refspec{{src: full, dst: full, pair: true}}, nil
	case how == "nothing":
		return nil, cli.Fatal("You didn't specify any refspecs to push, and push.default is \"nothing\".")
	case how == "matching":
		return nil, cli.Fatal("push.default = matching is not supported in this sandbox")
	case merge == "":
		return nil, cli.Fatal("The current branch %s has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n"+
			"    git push --set-upstream %s %s\n\nTo have this happen automatically for branches without a tracking\n"+
			"upstream, see 'push.autoSetupRemote' in 'git help config'.\n\n", branch, name, branch)
	case how != "upstream" && how != "tracking" && merge != full:
		return nil, cli.Fatal("The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the upstream branch\n"+
			"on the remote, use\n\n    git push %[1]s HEAD:%[2]s\n\nTo push to the branch of the same name on the remote, use\n\n    git push %[1]s HEAD\n\n"+
			"To choose either option permanently, see push.default in 'git help config'.\n\n"+
			"To avoid automatically configuring an upstream branch when its name\nwon't match the local branch, see option 'simple' of branch.autoSetupMerge\n"+
			"in 'git help config'.\n\n", name, short(merge))
	}
	return []refspec{{src: full, dst: merge, pair: true}}, nil
}

// updatesOf is what one refspec asks for.
func updatesOf(c *cli.Call, there *advertisement, s refspec) ([]*update, error) {
	if strings.Contains(s.src, "*") {
		names, err := c.Repo.Refs("refs/")
		var out []*update
		for _, name := range names {
			name = "refs/" + name
			if dst, ok := s.mapped(name); ok && safeRef(dst) {
				old, _ := there.find(dst)
				out = append(out, &update{src: name, dst: dst, old: old.h, now: c.Repo.Ref(name), force: s.force})
			}
		}
		return out, err
	}
	if s.src == "" {
		old, ok := there.guess(s.dst)
		if !ok {
			return nil, fmt.Errorf("error: unable to delete '%s': remote ref does not exist", s.dst)
		}
		return []*update{{dst: old.name, old: old.h, force: true}}, nil
	}
	src := s.src
	if src == "@" {
		src = "HEAD"
	}
	h, err := c.Repo.Resolve(src)
	if err != nil {
		return nil, fmt.Errorf("error: src refspec %s does not match any", s.src)
	}
	full := c.Repo.FullName(src)
	if full == "HEAD" && c.Repo.Branch() != "" {
		full = "refs/heads/" + c.Repo.Branch()
	}
	dst := s.dst
	if !s.pair {
		dst = full
	}
	if !strings.HasPrefix(dst, "refs/") {
		old, ok := there.guess(dst)
		switch {
		case ok && old.name != "HEAD" && dst != "":
			dst = old.name
		case strings.HasPrefix(full, "refs/tags/"):
			dst = "refs/tags/" + dst
		case strings.HasPrefix(full, "refs/heads/"):
			dst = "refs/heads/" + dst
		default:
			return nil, fmt.Errorf(unqualified, s.dst, s.src)
		}
	}
	if !safeRef(dst) {
		return nil, fmt.Errorf("error: invalid refspec '%s'", s.dst)
	}
	old, _ := there.find(dst)
	return []*update{{src: src, dst: dst, old: old.h, now: h, force: s.force}}, nil
}

const unqualified = `error: The destination you provided is not a full refname (i.e.,
starting with "refs/"). We tried to guess what you meant by:

- Looking for a ref that matches '%[1]s' on the remote side.
- Checking if the <src> being pushed ('%[2]s')
  is a ref in "refs/{heads,tags}/". If so we add a corresponding
  refs/{heads,tags}/ prefix on the remote side.

Neither worked, so we gave up. You must fully qualify the ref.
hint: The <src> part of the refspec is a commit object.
hint: Did you mean to create a new branch by pushing to
hint: '%[2]s:refs/heads/%[1]s'?`

// pushed is what a push has done, to be told.
type pushed struct {
	c      *cli.Call
	o      *option.Result
	to     remote
	branch string
}

// judge says which updates would lose history.
func (p *pushed) judge(updates []*update) error {
	for _, u := range updates {
		if u.old == u.now || u.old == repo.Zero || u.now == repo.Zero {
			continue
		}
		if p.o.Has("force-with-lease") && u.old != p.noted(u.dst) && !p.o.Has("f") {
			u.refused = "stale info"
			continue
		}
		isTag := strings.HasPrefix(u.dst, "refs/tags/")
		reason := ""
		switch {
		case isTag:
			reason = "already exists"
		case !p.c.Repo.Has(u.old):
			reason = "fetch first"
		default:
			ahead, err := p.c.Repo.IsAncestor(u.old, u.now)
			if err != nil {
				return err
			}
			if !ahead {
				reason = "non-fast-forward"
			}
		}
		if u.forced = reason != "" && u.force; !u.forced {
			u.refused = reason
		}
	}
	return nil
}

// noted returns where the remote's branch was when last seen.
func (p *pushed) noted(dst string) plumbing.Hash {
	for _, s := range p.to.fetch {
		if name, ok := s.mapped(dst); ok {
			return p.c.Repo.Ref(name)
		}
	}
	return repo.Zero
}

// tell says what became of each reference, those that are refused last, and whether none was.
func (p *pushed) tell(updates []*update) bool {
	ok, begun := true, false
	for _, refused := range []bool{false, true} {
		for _, u := range updates {
			if (u.refused != "" || u.remote != "") != refused || !refused && u.old == u.now {
				continue
			}
			ok = ok && !refused
			if p.o.Has("q") && !refused {
				continue
			}
			if !begun {
				p.line("To %s\n", withoutPassword(p.to.pushURL))
				begun = true
			}
			p.one(u)
		}
	}
	if ok && !begun && !p.o.Has("q") && !slices.ContainsFunc(updates, func(u *update) bool { return u.old != u.now }) {
		fmt.Fprintln(p.c.Stderr, "Everything up-to-date")
	}
	return ok
}

func (p *pushed) line(format string, args ...any) {
	if p.o.Has("porcelain") {
		p.c.Printf(format, args...)
		return
	}
	fmt.Fprintf(p.c.Stderr, format, args...)
}

func (p *pushed) one(u *update) {
	sign, summary, note := byte(' '), cli.Abbreviate(u.old)+".."+cli.Abbreviate(u.now), ""
	switch {
	case u.refused != "":
		sign, summary, note = '!', "[rejected]", u.refused
	case u.remote != "":
		sign, summary, note = '!', "[remote rejected]", u.remote
	case u.now == repo.Zero:
		sign, summary = '-', "[deleted]"
	case u.old == repo.Zero && strings.HasPrefix(u.dst, "refs/tags/"):
		sign, summary = '*', "[new tag]"
	case u.old == repo.Zero && strings.HasPrefix(u.dst, "refs/heads/"):
		sign, summary = '*', "[new branch]"
	case u.old == repo.Zero:
		sign, summary = '*', "[new reference]"
	case u.forced:
		sign, summary, note = '+', cli.Abbreviate(u.old)+"..."+cli.Abbreviate(u.now), "forced update"
	}
	if note != "" {
		note = " (" + note + ")"
	}
	if p.o.Has("porcelain") {
		src := u.src
		if full := p.c.Repo.FullName(src); full != "" && src != "" {
			src = full
		}
		p.c.Printf("%c\t%s:%s\t%s%s\n", sign, src, u.dst, summary, note)
		return
	}
	from := short(u.src) + " -> "
	if u.src == "" {
		from = ""
	}
	fmt.Fprintf(p.c.Stderr, " %c %-17s %s%s%s\n", sign, summary, from, short(u.dst), note)
}

// follow notes where the remote's branches are now, and makes the branch follow one for -u.
func (p *pushed) follow(updates []*update, specs []refspec) error {
	for _, u := range updates {
		if u.refused != "" || u.remote != "" {
			continue
		}
		for _, s := range p.to.fetch {
			name, ok := s.mapped(u.dst)
			if !ok || p.to.name == "" {
				continue
			}
			var err error
			old := p.c.Repo.Ref(name)
			switch {
			case old == u.now:
			case u.now == repo.Zero:
				err = p.c.Repo.RemoveRef(name)
			default:
				if err = p.c.Repo.SetRef(name, u.now); err == nil {
					err = p.c.Repo.Log(name, old, u.now, "update by push")
				}
			}
			if err != nil {
				return err
			}
		}
		src := p.c.Repo.FullName(u.src)
		if src == "HEAD" {
			src = "refs/heads/" + p.branch
		}
		local, isBranch := strings.CutPrefix(src, "refs/heads/")
		if auto, _ := p.c.Setting("push.autosetupremote"); (p.o.Has("u") || auto == "true" && len(p.o.Rest()) == 0) && u.src != "" && isBranch {
			name := p.to.name
			if name == "" {
				name = p.to.url
			}
			if err := follow(p.c, local, name, u.dst, p.o.Has("q")); err != nil {
				return err
			}
		}
	}
	return nil
}

// advice says what can be done where something was refused.
func (p *pushed) advice(updates []*update) string {
	reasons := map[string]bool{}
	for _, u := range updates {
		reason := u.refused
		if reason == "non-fast-forward" && u.dst == "refs/heads/"+p.branch {
			reason = "current"
		}
		reasons[reason] = true
	}
	text := ""
	switch {
	case reasons["current"]:
		text = "Updates were rejected because the tip of your current branch is behind\nits remote counterpart. Integrate the remote changes (e.g.\n" +
			"'git pull ...') before pushing again.\nSee the 'Note about fast-forwards' in 'git push --help' for details."
	case reasons["non-fast-forward"]:
		text = "Updates were rejected because a pushed branch tip is behind its remote\ncounterpart. Check out this branch and integrate the remote changes\n" +
			"(e.g. 'git pull ...') before pushing again.\nSee the 'Note about fast-forwards' in 'git push --help' for details."
	case reasons["fetch first"]:
		text = "Updates were rejected because the remote contains work that you do\nnot have locally. This is usually caused by another repository pushing\n" +
			"to the same ref. You may want to first integrate the remote changes\n(e.g., 'git pull ...') before pushing again.\n" +
			"See the 'Note about fast-forwards' in 'git push --help' for details."
	case reasons["already exists"]:
		text = "Updates were rejected because the tag already exists in the remote."
	default:
		return ""
	}
	return "\nhint: " + strings.ReplaceAll(text, "\n", "\nhint: ")
}
