// Package files holds the commands that list, make, move, describe and remove files.
package files

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const coreutils = "GNU coreutils 9.1"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "chgrp", Usage: "[OPTION]... GROUP FILE...", Like: coreutils, Run: chgrp},
		{Name: "chmod", Usage: "[OPTION]... MODE[,MODE]... FILE...", Like: coreutils, Run: chmod},
		{Name: "chown", Usage: "[OPTION]... [OWNER][:[GROUP]] FILE...", Like: coreutils, Run: chown},
		{Name: "cp", Usage: "[OPTION]... [-T] SOURCE DEST", Like: coreutils, Run: cp},
		{Name: "df", Like: coreutils, Run: df},
		{Name: "dir", Like: coreutils, Trouble: 2, Run: ls},
		{Name: "du", Like: coreutils, Run: du},
		{Name: "file", Usage: "[OPTION...] [FILE...]", Like: "file 5.44", Run: fileType},
		{Name: "install", Usage: "[OPTION]... [-T] SOURCE DEST", Like: coreutils, Run: install},
		{Name: "link", Usage: "FILE1 FILE2", Like: coreutils, Run: link},
		{Name: "ln", Usage: "[OPTION]... [-T] TARGET LINK_NAME", Like: coreutils, Run: ln},
		{Name: "ls", Like: coreutils, Trouble: 2, Run: ls},
		{Name: "mkdir", Usage: "[OPTION]... DIRECTORY...", Like: coreutils, Run: mkdir},
		{Name: "mktemp", Usage: "[OPTION]... [TEMPLATE]", Like: coreutils, Run: mktemp},
		{Name: "mv", Usage: "[OPTION]... [-T] SOURCE DEST", Like: coreutils, Run: mv},
		{Name: "readlink", Usage: "[OPTION]... FILE...", Like: coreutils, Run: readlink},
		{Name: "realpath", Usage: "[OPTION]... FILE...", Like: coreutils, Run: realpath},
		{Name: "rm", Like: coreutils, Run: rm},
		{Name: "rmdir", Usage: "[OPTION]... DIRECTORY...", Like: coreutils, Run: rmdir},
		{Name: "stat", Usage: "[OPTION]... FILE...", Like: coreutils, Run: stat},
		{Name: "sync", Like: coreutils, Run: syncFiles},
		{Name: "touch", Usage: "[OPTION]... FILE...", Like: coreutils, Run: touch},
		{Name: "tree", Usage: "[-acdfghilnpqrstuvxACDFJQNSUX] [-L level [-R]] [directory ...]", Like: "tree 2.1.0", Run: tree},
		{Name: "truncate", Usage: "OPTION... FILE...", Like: coreutils, Run: truncate},
		{Name: "unlink", Usage: "FILE", Like: coreutils, Run: unlink},
	}
}
