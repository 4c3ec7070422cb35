// Package order holds the commands that sort lines or need them sorted.
package order

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const coreutils = "GNU coreutils 9.1"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "comm", Usage: "[OPTION]... FILE1 FILE2", Like: coreutils, Run: comm},
		{Name: "join", Usage: "[OPTION]... FILE1 FILE2", Like: coreutils, Run: join},
		{Name: "sort", Like: coreutils, Trouble: 2, Run: sortLines},
		{Name: "tsort", Usage: "[OPTION] [FILE]", Like: coreutils, Run: tsort},
		{Name: "uniq", Usage: "[OPTION]... [INPUT [OUTPUT]]", Like: coreutils, Run: uniq},
	}
}
