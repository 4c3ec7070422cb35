// Package text holds the commands that copy, count, number and shape lines.
package text

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const coreutils = "GNU coreutils 9.1"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "cat", Like: coreutils, Run: cat},
		{Name: "csplit", Usage: "[OPTION]... FILE PATTERN...", Like: coreutils, Run: csplit},
		{Name: "envsubst", Usage: "[OPTION] [SHELL-FORMAT]", Like: "GNU gettext 0.21", Run: envsubst},
		{Name: "expand", Like: coreutils, Run: expand},
		{Name: "fmt", Usage: "[-WIDTH] [OPTION]... [FILE]...", Like: coreutils, Run: format},
		{Name: "fold", Like: coreutils, Run: fold},
		{Name: "head", Like: coreutils, Run: head},
		{Name: "nl", Like: coreutils, Run: nl},
		{Name: "rev", Usage: "[options] [file ...]", Like: "util-linux 2.38.1", Run: rev},
		{Name: "shuf", Usage: "[OPTION]... [FILE]", Like: coreutils, Run: shuf},
		{Name: "split", Usage: "[OPTION]... [FILE [PREFIX]]", Like: coreutils, Run: split},
		{Name: "tac", Like: coreutils, Run: tac},
		{Name: "tail", Like: coreutils, Run: tail},
		{Name: "tee", Like: coreutils, Run: tee},
		{Name: "tr", Usage: "[OPTION]... STRING1 [STRING2]", Like: coreutils, Run: tr},
		{Name: "unexpand", Like: coreutils, Run: unexpand},
		{Name: "wc", Like: coreutils, Run: wc},
	}
}
