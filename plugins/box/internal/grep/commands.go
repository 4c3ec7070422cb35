// Package grep is grep: patterns, context, binary files and folders as GNU grep 3.8 does them.
package grep

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const (
	like  = "GNU grep 3.8"
	usage = "[OPTION]... PATTERNS [FILE]..."
)

// Commands returns this family's commands.
func Commands() []tool.Command {
	as := func(matcher byte) func(*tool.Env, []string) int {
		return func(env *tool.Env, args []string) int {
			env.Name = "grep" // egrep and fgrep are scripts that run it
			return grep(env, args, matcher)
		}
	}
	return []tool.Command{
		{Name: "grep", Usage: usage, Like: like, Trouble: 2, Run: as('G')},
		{Name: "egrep", Usage: usage, Like: like, Trouble: 2, Run: as('E')},
		{Name: "fgrep", Usage: usage, Like: like, Trouble: 2, Run: as('F')},
	}
}
