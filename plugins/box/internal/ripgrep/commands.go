// Package ripgrep is rg: the search of a tree as ripgrep 13 does it, less what few ask for. Files
// come in the order of their names, as with --sort path, and what is asked for and not there is
// refused.
package ripgrep

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{{Name: "rg", Usage: "[OPTIONS] PATTERN [PATH ...]", Like: "ripgrep 13.0.0", Trouble: 2, Run: rg}}
}
