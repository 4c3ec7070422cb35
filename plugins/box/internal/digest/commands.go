// Package digest holds the commands that sum up or encode bytes.
package digest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const coreutils = "GNU coreutils 9.1"

// An algorithm is what one of the sum commands computes.
type algorithm struct {
	name string // of the command
	tag  string // in BSD style
	make func() hash.Hash
	any  func(size int) hash.Hash // with digests of other sizes, in bytes; nil if there are none
	bits string                   // behind the tag, if the size is such a one
}

// sized returns the algorithm with digests of so many bytes, if it has others.
func (a algorithm) sized(bytes int) algorithm {
	if a.any != nil && bytes != a.make().Size() {
		a.make = func() hash.Hash { return a.any(bytes) }
		a.bits = "-" + strconv.Itoa(8*bytes)
	}
	return a
}

// fits reports whether a digest may have so many bytes.
func (a algorithm) fits(bytes int) bool {
	most := a.make().Size()
	return bytes == most || a.any != nil && 0 < bytes && bytes < most
}

// shortened is -l, in bits; 0 is as many as there are. It reports whether there are such digests,
// and tells if not.
func (a algorithm) shortened(env *tool.Env, arg string) (algorithm, bool) {
	bits, err := strconv.ParseUint(arg, 10, 64)
	most := uint64(8 * a.make().Size())
	if bits == 0 {
		bits = most
	}
	if err == nil && bits%8 == 0 && bits <= most {
		return a.sized(int(bits / 8)), true
	}
	env.Errorf("invalid length: %s", env.Quote(arg))
	switch {
	case err != nil:
	case bits%8 != 0:
		env.Errorf("length is not a multiple of 8")
	default:
		env.Errorf("maximum digest length for %s is %d bits", env.Quote(a.tag), most)
	}
	return a, false
}

var algorithms = []algorithm{
	{name: "b2sum", tag: "BLAKE2b", make: func() hash.Hash { return newBlake2b(64) }, any: newBlake2b},
	{name: "md5sum", tag: "MD5", make: md5.New},
	{name: "sha1sum", tag: "SHA1", make: sha1.New},
	{name: "sha224sum", tag: "SHA224", make: sha256.New224},
	{name: "sha256sum", tag: "SHA256", make: sha256.New},
	{name: "sha384sum", tag: "SHA384", make: sha512.New384},
	{name: "sha512sum", tag: "SHA512", make: sha512.New},
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
