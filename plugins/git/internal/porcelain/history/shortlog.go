package history

import (
	"bufio"
	"maps"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Shortlog(c *cli.Call) error {
	o, err := c.Parse("numbered,n s,summary e,email c,committer w? group= format= " + strings.Replace(revisionOptions, " # n,max-count=", " # max-count=", 1))
	if err != nil {
		return err
	}
	subjects := map[string][]string{}
	revisions, paths, err := c.Split(o)
	if err != nil {
		return err
	}
	named := len(revisions) > 0 || o.Has("all") || o.Has("branches") || o.Has("tags") || o.Has("remotes")
	if !named && c.Cols == 0 {
		readLog(c, o, subjects)
	} else {
		span, err := NewSpan(c, o, revisions, true)
		if err != nil {
			return err
		}
		sel, err := newSelection(c, o)
		if err != nil {
			return err
		}
		var failed error
		err = walk(c, o, span, paths, func(commit *repo.Commit) bool {
			ok, err := sel.match(c, commit)
			if failed = err; err != nil {
				return false
			}
			if !ok {
				return true
			}
			if sel.limit == 0 {
				return false
			}
			show, more := sel.take()
			if show {
				who := commit.Author
				if o.Has("c") || o.Arg("group") == "committer" {
					who = commit.Committer
				}
				name := who.Name
				if o.Has("e") {
					name = person(who)
				}
				subjects[name] = append(subjects[name], messages.Subject(commit.Message))
			}
			return more
		})
		if err = firstError(err, failed); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(subjects))
	if o.Has("numbered") {
		slices.SortStableFunc(names, func(a, b string) int { return len(subjects[b]) - len(subjects[a]) })
	}
	for _, name := range names {
		list := subjects[name]
		if o.Has("s") {
			c.Printf("%6d\t%s\n", len(list), name)
			continue
		}
		c.Printf("%s (%d):\n", name, len(list))
		for _, line := range slices.Backward(list) {
			c.Printf("      %s\n", line)
		}
		c.Printf("\n")
	}
	return nil
}

// readLog reads what git log has written.
func readLog(c *cli.Call, o *option.Result, subjects map[string][]string) {
	in := bufio.NewScanner(c.Stdin)
	who, wait := "", false
	for in.Scan() {
		line := in.Text()
		head := "Author: "
		if o.Has("c") {
			head = "Commit: "
		}
		switch name, ok := strings.CutPrefix(line, head); {
		case ok:
			who, wait = name, true
			if !o.Has("e") {
				who, _, _ = strings.Cut(name, " <")
			}
		case wait && strings.HasPrefix(line, "    ") && strings.TrimSpace(line) != "":
			subjects[who] = append(subjects[who], strings.TrimSpace(line))
			wait = false
		}
	}
}
