package status

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// statusV2 is status for programs that want to know more: --porcelain=v2.
func statusV2(c *cli.Call, s *State, ignored []string, branch, nul bool) {
	end, show, between := "\n", cli.Quote, "\t"
	if nul {
		end, show, between = "\x00", func(s string) string { return s }, "\x00"
	}
	if branch {
		branchV2(c, end)
	}
	type entry struct {
		staged, unstaged *change.Change
	}
	entries := map[string]*entry{}
	order := repo.Snapshot{}
	at := func(name string) *entry {
		if entries[name] == nil {
			entries[name] = &entry{}
			order[name] = repo.File{}
		}
		return entries[name]
	}
	for i := range s.Staged {
		at(s.Staged[i].New).staged = &s.Staged[i]
	}
	for i := range s.Unstaged {
		at(s.Unstaged[i].New).unstaged = &s.Unstaged[i]
	}
	for _, name := range order.Names() {
		e := entries[name]
		x, y, old := byte('.'), byte('.'), name
		head, index := s.Head[name], s.Index.Files[name]
		if e.staged != nil {
			x, old = e.staged.Status, e.staged.Old
			head = e.staged.From
		}
		if e.unstaged != nil {
			y = e.unstaged.Status
		}
		disk := s.Disk[name]
		line := fmt.Sprintf("%c%c N... %06o %06o %06o %s %s", x, y, uint32(head.Mode), uint32(index.Mode), uint32(disk.Mode), head.Hash, index.Hash)
		if old != name {
			c.Printf("2 %s R%d %s%s%s%s", line, e.staged.Score, show(name), between, show(old), end)
			continue
		}
		c.Printf("1 %s %s%s", line, show(name), end)
	}
	for _, name := range s.Unmerged {
		sides := s.Index.Conflicts[name]
		disk, _ := s.Index.Disk(name)
		c.Printf("u %s N... %06o %06o %06o %06o %s %s %s %s%s", change.StandingOf(sides).Short, uint32(sides[0].Mode), uint32(sides[1].Mode), uint32(sides[2].Mode),
			uint32(disk.Mode), sides[0].Hash, sides[1].Hash, sides[2].Hash, show(name), end)
	}
	for _, name := range s.Untracked {
		c.Printf("? %s%s", show(name), end)
	}
	for _, name := range ignored {
		c.Printf("! %s%s", show(name), end)
	}
}

func branchV2(c *cli.Call, end string) {
	head, name := c.Repo.Head(), c.Repo.Branch()
	id := head.String()
	if head == repo.Zero {
		id = "(initial)"
	}
	c.Printf("# branch.oid %s%s", id, end)
	if name == "" {
		c.Printf("# branch.head (detached)%s", end)
		return
	}
	c.Printf("# branch.head %s%s", name, end)
	up, ahead, behind := Upstream(c, name)
	if up != "" {
		c.Printf("# branch.upstream %s%s# branch.ab +%d -%d%s", strings.TrimPrefix(up, "./"), end, ahead, behind, end)
	}
}
