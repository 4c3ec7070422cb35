// Package field holds the commands that take lines apart into fields or put them side by side.
package field

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const coreutils = "GNU coreutils 9.1"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "column", Usage: "[options] [<file>...]", Like: "util-linux 2.38.1", Run: column},
		{Name: "cut", Usage: "OPTION... [FILE]...", Like: coreutils, Run: cut},
		{Name: "numfmt", Usage: "[OPTION]... [NUMBER]...", Like: coreutils, Run: numfmt},
		{Name: "paste", Like: coreutils, Run: paste},
	}
}
