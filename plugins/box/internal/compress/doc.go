// Package compress holds the commands that make files smaller and read them again, and the formats
// for whoever else reads or writes them, as tar does. Everything streams: how much memory a file
// takes does not depend on its size, nor on what it says of itself.
package compress

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const (
	likeGzip  = "gzip 1.12"
	likeBzip2 = "bzip2 1.0.8"
	likeXZ    = "xz (XZ Utils) 5.4.1"
)

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "bunzip2", Usage: "[FLAGS] [FILE]...", Like: likeBzip2, Run: bzip2Command},
		{Name: "bzcat", Usage: "[FLAGS] [FILE]...", Like: likeBzip2, Run: bzip2Command},
		{Name: "bzip2", Usage: "-d [FLAGS] [FILE]...", Like: likeBzip2, Run: bzip2Command},
		{Name: "gunzip", Like: likeGzip, Run: gzipCommand},
		{Name: "gzip", Like: likeGzip, Run: gzipCommand},
		{Name: "unxz", Like: likeXZ, Run: xzCommand},
		{Name: "xz", Like: likeXZ, Run: xzCommand},
		{Name: "xzcat", Like: likeXZ, Run: xzCommand},
		{Name: "zcat", Like: likeGzip, Run: gzipCommand},
	}
}
