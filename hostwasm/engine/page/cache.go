//go:build js

package page

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
)

// Cache is a hostwasm.Cache of what the page has registered: modules that were
// metered elsewhere and compiled as they came in. It keeps nothing else.
type Cache struct{}

var _ hostwasm.Cache = Cache{}

// Get returns what Load takes, if the module is registered.
func (Cache) Get(key cache.Key) (string, error) {
	name := keyOf(key)
	if jsKnown(name) == 0 {
		return "", fs.ErrNotExist
	}
	return scheme + name, nil
}

// Put compiles the module and keeps nothing.
func (Cache) Put(_ cache.Key, _ *hostwasm.Module, compile func(dir string) error) error {
	return compile("")
}

// scheme is what tells the key of a registered module from a directory.
const scheme = "page:"

var errNotKey = errors.New("it is not the key of a registered module")

// keyOf returns what the glue knows a module by: the sum of the module before it
// was metered, in hexadecimal, and by what it was compiled.
func keyOf(key cache.Key) string { return hex.EncodeToString(key.Module[:]) + " " + key.By }

// registered returns the program that is known by what Cache.Get has returned.
func registered(dir string) (*program, error) {
	key, found := strings.CutPrefix(dir, scheme)
	if !found {
		return nil, errNotKey
	}
	lastProgram++
	p := &program{id: lastProgram, loaded: true}
	n := jsLoad(p.id, key)
	if n < 0 {
		return nil, fs.ErrNotExist
	}
	var err error
	if p.imports, err = parseImports(text(n)); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}
