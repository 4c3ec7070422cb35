// Package digest holds the commands that sum up or encode bytes.
package digest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const coreutils = "GNU coreutils 9.1"

// An algorithm is what one of the sum commands computes.
type algorithm struct {
	name string // of the command
	tag  string // in BSD style
	make func() hash.Hash
}

var algorithms = []algorithm{
	{"md5sum", "MD5", md5.New},
	{"sha1sum", "SHA1", sha1.New},
	{"sha224sum", "SHA224", sha256.New224},
	{"sha256sum", "SHA256", sha256.New},
	{"sha384sum", "SHA384", sha512.New384},
	{"sha512sum", "SHA512", sha512.New},
}

// Commands returns this family's commands.
func Commands() []tool.Command {
	list := []tool.Command{
		{Name: "base32", Usage: "[OPTION]... [FILE]", Like: coreutils, Run: base(base32Coding)},
		{Name: "base64", Usage: "[OPTION]... [FILE]", Like: coreutils, Run: base(base64Coding)},
		{Name: "cksum", Like: coreutils, Run: cksum},
		{Name: "sum", Like: coreutils, Run: bsdSum},
	}
	for _, a := range algorithms {
		list = append(list, tool.Command{Name: a.name, Like: coreutils, Run: func(env *tool.Env, args []string) int { return sum(env, args, a) }})
	}
	return list
}
