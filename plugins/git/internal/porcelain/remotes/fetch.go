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

const fetchOptions = "all q,quiet v,verbose p,prune no-prune t,tags no-tags f,force a,append depth= dry-run u,update-head-ok progress no-progress " +
	"j,jobs= multiple set-upstream k,keep 4,ipv4 6,ipv6 no-auto-gc no-recurse-submodules"

// Fetch brings what other repositories have, and notes where their branches are.
func Fetch(c *cli.Call) error {
	o, err := c.Parse(fetchOptions)
	if err != nil {
		return err
	}
	if o.Has("depth") {
		return cli.Fatal("fetch --depth is not supported in this sandbox; clone --depth is")
	}
	args := o.Rest()
	list := args
	switch {
	case o.Has("all"):
		list = names(c)
	case len(args) == 0:
		list = []string{usual(c, c.Repo.Branch())}
	case !o.Has("multiple"):
		list = args[:1]
	}
	if !o.Has("all") && !o.Has("multiple") {
		return fetchFrom(c, o, list[0], args[min(1, len(args)):])
	}
	for _, name := range list {
		if !o.Has("q") {
			c.Printf("Fetching %s\n", name)
		}
		if err := fetchFrom(c, o, name, nil); err != nil {
			return err
		}
	}
	return nil
}

// A fetched is a reference that is asked for, and the one here that follows it.
type fetched struct {
	advertised
	dst   string // "" if there is none
	force bool
	head  bool // whether it is noted in FETCH_HEAD
	merge bool // whether pull merges it
}

// fetchFrom fetches from one remote.
func fetchFrom(c *cli.Call, o *option.Result, name string, specs []string) error {
	from := remoteNamed(c, name)
	end, err := open(c, from.url)
	if err != nil {
		return err
	}
	there, err := end.advertised(false)
	if err != nil {
		return err
	}
	list, follows, err := chosen(c, o, from, there, specs)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.dst != "" && f.dst == "refs/heads/"+c.Repo.Branch() && c.Repo.Top != "" && !o.Has("u") {
			return cli.Fatal("refusing to fetch into branch '%s' checked out at '%s'", f.dst, c.Repo.Top)
		}
	}
	if err := bring(c, end, list); err != nil {
		return err
	}
	if follows {
		tags := followed(c, there, list)
		if err := bring(c, end, tags); err != nil {
			return err
		}
		list = append(list, tags...)
	}
	t := &table{c: c, from: from.url, width: 10, silent: o.Has("q"), dry: o.Has("dry-run"), force: o.Has("f"), why: strings.Join(append([]string{c.Name}, c.Args...), " ")}
	if setting, _ := c.Setting("fetch.prune"); (o.Has("p") || setting == "true") && !o.Has("no-prune") {
		if err := t.prune(from, there, specs); err != nil {
			return err
		}
	}
	if err := note(c, o, shown(from.url), list); err != nil {
		return err
	}
	if err := t.update(list); err != nil {
		return err
	}
	if o.Has("set-upstream") && from.name != "" && len(list) > 0 && c.Repo.Branch() != "" {
		return follow(c, c.Repo.Branch(), from.name, list[0].name, o.Has("q"))
	}
	return nil
}

// chosen returns what is asked for, and whether tags come along with it.
func chosen(c *cli.Call, o *option.Result, from remote, there *advertisement, specs []string) (list []fetched, follows bool, err error) {
	add := func(f fetched) {
		if !slices.ContainsFunc(list, func(g fetched) bool { return g.dst != "" && g.dst == f.dst }) {
			list = append(list, f)
		}
	}
	for i := 0; i < len(specs); i++ {
		text := specs[i]
		if text == "tag" && i+1 < len(specs) {
			i++
			text = "refs/tags/" + specs[i] + ":refs/tags/" + specs[i]
		}
		s := parseRefspec(text)
		follows = follows || s.dst != ""
		if strings.Contains(s.src, "*") {
			for _, r := range there.refs {
				if dst, ok := s.mapped(r.name); ok && safeRef(dst) {
					add(fetched{advertised: r, dst: dst, force: s.force, head: true, merge: false})
				}
			}
			continue
		}
		if s.src == "" {
			s.src = "HEAD"
		}
		r, ok := there.guess(s.src)
		if !ok {
			return nil, false, cli.Fatal("couldn't find remote ref %s", s.src)
		}
		dst := s.dst
		if dst != "" && !strings.HasPrefix(dst, "refs/") {
			prefix := "refs/heads/"
			if strings.HasPrefix(r.name, "refs/tags/") {
				prefix = "refs/tags/"
			}
			dst = prefix + dst
		}
		if dst != "" && !safeRef(dst) {
			return nil, false, cli.Fatal("invalid refspec '%s'", text)
		}
		add(fetched{advertised: r, dst: dst, force: s.force, head: true, merge: true})
	}
	asked := list
	branch := c.Repo.Branch()
	merge, _ := c.Repo.Config.Get("branch." + branch + ".merge")
	if own, _ := c.Repo.Config.Get("branch." + branch + ".remote"); own != from.name || own == "" || len(specs) > 0 {
		merge = ""
	}
	for _, s := range from.fetch {
		for _, r := range there.refs {
			dst, ok := s.mapped(r.name)
			if !ok || !safeRef(dst) || strings.HasSuffix(r.name, "/HEAD") && r.name == "HEAD" {
				continue
			}
			wanted := slices.ContainsFunc(asked, func(f fetched) bool { return f.name == r.name })
			if len(specs) == 0 || wanted {
				add(fetched{advertised: r, dst: dst, force: s.force, head: len(specs) == 0, merge: r.name == merge})
			}
		}
	}
	if len(specs) == 0 {
		follows = len(from.fetch) > 0
		r, ok := there.find("HEAD")
		switch {
		case len(from.fetch) > 0:
		case !ok:
			return nil, false, cli.Fatal("couldn't find remote ref HEAD")
		default:
			add(fetched{advertised: r, head: true, merge: true})
		}
	}
	if o.Has("t") {
		for _, r := range there.refs {
			if strings.HasPrefix(r.name, "refs/tags/") {
				add(fetched{advertised: r, dst: r.name, head: true})
			}
		}
	}
	return list, follows && !o.Has("t") && !o.Has("no-tags"), nil
}

// followed returns the tags that are not here, of objects that are.
func followed(c *cli.Call, there *advertisement, list []fetched) (out []fetched) {
	for _, r := range there.refs {
		if !strings.HasPrefix(r.name, "refs/tags/") || c.Repo.Ref(r.name) != repo.Zero ||
			slices.ContainsFunc(list, func(f fetched) bool { return f.dst == r.name }) {
			continue
		}
		at := r.h
		if r.peeled != repo.Zero {
			at = r.peeled
		}
		if c.Repo.Has(at) {
			out = append(out, fetched{advertised: r, dst: r.name, head: true})
		}
	}
	return out
}

// bring fetches the objects.
func bring(c *cli.Call, end endpoint, list []fetched) error {
	var wants []plumbing.Hash
	for _, f := range list {
		if !c.Repo.Has(f.h) && !slices.Contains(wants, f.h) {
			wants = append(wants, f.h)
		}
	}
	if len(wants) == 0 {
		return nil
	}
	return end.fetch(c.Repo, wants, 0)
}

// note writes FETCH_HEAD, what is to be merged first.
func note(c *cli.Call, o *option.Result, url string, list []fetched) error {
	text := ""
	if o.Has("a") {
		text, _ = c.Repo.State("FETCH_HEAD")
	}
	for _, merge := range []bool{true, false} {
		for _, f := range list {
			if !f.head || f.merge != merge {
				continue
			}
			what := "'" + f.name + "' of "
			switch {
			case f.name == "HEAD":
				what = ""
			case strings.HasPrefix(f.name, "refs/heads/"):
				what = "branch '" + short(f.name) + "' of "
			case strings.HasPrefix(f.name, "refs/tags/"):
				what = "tag '" + short(f.name) + "' of "
			}
			mark := "not-for-merge"
			if merge {
				mark = ""
			}
			text += fmt.Sprintf("%s\t%s\t%s%s\n", f.h, mark, what, url)
		}
	}
	return c.Repo.SetState("FETCH_HEAD", text)
}
