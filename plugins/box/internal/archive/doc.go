// Package archive holds tar, zip and unzip. What they read is not trusted: names never lead out of
// the directory that is extracted into, whatever links are on the way, and memory does not grow
// with what an archive says of itself.
package archive

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "tar", Usage: "[OPTION...] [FILE]...", Like: "GNU tar 1.34", Trouble: 2, Run: tarCommand},
		{Name: "unzip", Usage: "[-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]", Like: "UnZip 6.00", Run: unzipCommand},
		{Name: "zip", Usage: "[-options] [zipfile list] [-xi list]", Like: "Zip 3.0", Run: zipCommand},
		{Name: "zipinfo", Usage: "[-1] file[.zip] [list] [-x xlist]", Like: "ZipInfo 3.00", Run: unzipCommand},
	}
}
