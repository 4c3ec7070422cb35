package porcelain

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// statusV2 is status for programs that want to know more: --porcelain=v2.
func (c *call) statusV2(s *state, ignored []string, branch, nul bool) {
	end, show, between := "\n", quote, "\t"
	if nul {
		end, show, between = "\x00", func(s string) string { return s }, "\x00"
	}
	if branch {
		c.branchV2(end)
	}
	type entry struct {
		staged, unstaged *change
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
	for i := range s.staged {
		at(s.staged[i].new).staged = &s.staged[i]
	}
	for i := range s.unstaged {
		at(s.unstaged[i].new).unstaged = &s.unstaged[i]
	}
	for _, name := range order.Names() {
		e := entries[name]
		x, y, old := byte('.'), byte('.'), name
		head, index := s.head[name], s.index.Files[name]
		if e.staged != nil {
			x, old = e.staged.status, e.staged.old
			head = e.staged.from
		}
		if e.unstaged != nil {
			y = e.unstaged.status
		}
		disk := s.disk[name]
		line := fmt.Sprintf("%c%c N... %06o %06o %06o %s %s", x, y, uint32(head.Mode), uint32(index.Mode), uint32(disk.Mode), head.Hash, index.Hash)
		if old != name {
			c.printf("2 %s R%d %s%s%s%s", line, e.staged.score, show(name), between, show(old), end)
			continue
		}
		c.printf("1 %s %s%s", line, show(name), end)
	}
	for _, name := range s.unmerged {
		sides := s.index.Conflicts[name]
		disk, _ := s.index.Disk(name)
		c.printf("u %s N... %06o %06o %06o %06o %s %s %s %s%s", standingOf(sides).short, uint32(sides[0].Mode), uint32(sides[1].Mode), uint32(sides[2].Mode),
			uint32(disk.Mode), sides[0].Hash, sides[1].Hash, sides[2].Hash, show(name), end)
	}
	for _, name := range s.untracked {
		c.printf("? %s%s", show(name), end)
	}
	for _, name := range ignored {
		c.printf("! %s%s", show(name), end)
	}
}

func (c *call) branchV2(end string) {
	head, name := c.repo.Head(), c.repo.Branch()
	id := head.String()
	if head == repo.Zero {
		id = "(initial)"
	}
	c.printf("# branch.oid %s%s", id, end)
	if name == "" {
		c.printf("# branch.head (detached)%s", end)
		return
	}
	c.printf("# branch.head %s%s", name, end)
	up, ahead, behind := c.upstream(name)
	if up != "" {
		c.printf("# branch.upstream %s%s# branch.ab +%d -%d%s", strings.TrimPrefix(up, "./"), end, ahead, behind, end)
	}
}
