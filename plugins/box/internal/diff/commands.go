// Package diff holds the commands that compare files and apply differences: diff, cmp and patch.
package diff

import (
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "cmp", Usage: "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]", Like: "GNU diffutils 3.8", Trouble: 2, Run: cmp},
		{Name: "diff", Usage: "[OPTION]... FILES", Like: "GNU diffutils 3.8", Trouble: 2, Run: diff},
		{Name: "patch", Usage: "[OPTION]... [ORIGFILE [PATCHFILE]]", Like: "GNU patch 2.7.6", Trouble: 2, Run: patch},
	}
}

// trouble is the exit status for all that is no difference.
const trouble = 2

// options parses a command line; a nil result means that the command is over. These commands put
// their name before the hint too.
func options(env *tool.Env, args []string, spec string) (*option.Result, int) {
	res, err := option.Parse(args[1:], spec+" help version")
	if err != nil {
		return nil, usage(env, err.Error())
	}
	for _, o := range res.Options {
		switch o.Name {
		case "help":
			env.Help()
			return nil, 0
		case "version", "v":
			env.Version()
			return nil, 0
		}
	}
	return res, 0
}

func usage(env *tool.Env, msg string) int {
	env.Errorf("%s", msg)
	env.Errorf("Try '%s --help' for more information.", env.Name)
	return trouble
}
