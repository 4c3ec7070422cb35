package record

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// EndJoin removes the notes of what the commit has ended; those of a sequence too, if this was its
// last.
func EndJoin(c *cli.Call) error {
	todo, noted := c.Repo.State("sequencer/todo")
	if noted && strings.Count(todo, "\n") <= 1 && (c.Repo.HasState("CHERRY_PICK_HEAD") || c.Repo.HasState("REVERT_HEAD")) {
		if err := c.Repo.RemoveState("sequencer"); err != nil {
			return err
		}
	}
	return c.Repo.RemoveState(append(MergeState, "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG")...)
}

// MergeState are the notes that a merge leaves until it is committed.
var MergeState = []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"}

const Unresolved = "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n" +
	"hint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict."
