package change

import (
	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// DiffNoIndex compares two files or directories, be they in a repository or not.
func DiffNoIndex(c *cli.Call, d *Output, args []string, silent bool) error {
	if len(args) != 2 {
		return &cli.Failure{Status: 129, Text: "usage: git diff --no-index [<options>] <path> <path>"}
	}
	contents := map[plumbing.Hash][]byte{}
	d.contents = contents
	var sides [2]map[string]repo.File
	for i, root := range args {
		files, err := cli.DiskFiles(root, contents)
		if err != nil {
			return &cli.Failure{Status: 128, Text: "error: Could not access '" + root + "'"}
		}
		sides[i] = files
	}
	var changes []Change
	names := repo.Snapshot{}
	for _, side := range sides {
		for name := range side {
			names[name] = repo.File{}
		}
	}
	for _, name := range names.Names() {
		from, was := sides[0][name]
		to, is := sides[1][name]
		old, new := cli.BelowRoot(args[0], name), cli.BelowRoot(args[1], name)
		switch {
		case from == to:
			continue
		case !was:
			changes = append(changes, Change{'A', new, new, from, to, 0})
		case !is:
			changes = append(changes, Change{'D', old, old, from, to, 0})
		default:
			changes = append(changes, Change{'M', old, new, from, to, 0})
		}
	}
	if !silent {
		d.Write(c.Stdout, d.Pick(changes))
	}
	if len(changes) > 0 {
		return cli.Quiet(1)
	}
	return nil
}
