// Package dump holds the commands that show bytes as numbers.
package dump

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "hexdump", Usage: "[options] <file>...", Like: "util-linux 2.38.1", Run: hexdump},
		{Name: "hd", Usage: "[options] <file>...", Like: "util-linux 2.38.1", Run: hexdump},
		{Name: "od", Like: "GNU coreutils 9.1", Run: od},
		{Name: "strings", Usage: "[option(s)] [file(s)]", Like: "GNU binutils 2.40", Run: printable},
		{Name: "xxd", Usage: "[options] [infile [outfile]]", Like: "xxd 2022-01-14", Run: xxd},
	}
}
