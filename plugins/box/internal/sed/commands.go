// Package sed is sed: scripts are parsed into commands, and run over the lines of the input, as GNU
// sed 4.9 does it.
package sed

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{{
		Name: "sed", Usage: "[OPTION]... {script-only-if-no-other-script} [input-file]...", Like: "GNU sed 4.9", Run: sed,
	}}
}

// Exit statuses.
const (
	exitBadUsage = 1
	exitBadInput = 2
	exitPanic    = 4
)
