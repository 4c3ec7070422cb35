// Package find holds find and xargs.
package find

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const findutils = "GNU findutils 4.9.0"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "find", Usage: "[-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]", Like: findutils, Run: find},
		{Name: "xargs", Usage: "[OPTION]... COMMAND [INITIAL-ARGS]...", Like: findutils, Run: xargs},
	}
}
