package main

import (
	"strconv"
	"sync"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A change is what became of a name, in VS Code's numbers.
type change uint8

const (
	changed change = 1 + iota
	created
	deleted
)

// maxChanges is how many names are kept that the page has not asked for. With
// more, it is told to look again at everything.
const maxChanges = 4096

// changes is what commands and the page have changed among the files since the
// page last asked. It is safe for concurrent use.
type changes struct {
	tell func() // is called when there is something, once until it is taken

	mu    sync.Mutex
	kinds map[string]change
	order []string // of kinds, as they came
	all   bool     // there were too many
	told  bool
}

// add notes a change of the file at an absolute path.
func (c *changes) add(kind change, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.all {
		c.note(kind, path)
	}
	if !c.told {
		c.told = true
		c.tell()
	}
}

// note merges a change with those before it of the same name. c.mu is held.
func (c *changes) note(kind change, path string) {
	before, known := c.kinds[path]
	switch {
	case !known && len(c.order) == maxChanges:
		c.all, c.kinds, c.order = true, nil, nil
		return
	case !known:
		c.order = append(c.order, path)
	case before == created && kind == changed:
		return
	case before == deleted && kind == created:
		kind = changed
	}
	if c.kinds == nil {
		c.kinds = make(map[string]change)
	}
	c.kinds[path] = kind
}

// take appends the changes as JSON to dst, and forgets them. all is true if there
// were too many.
func (c *changes) take(dst []byte) (out []byte, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dst = append(dst, '[')
	for _, path := range c.order {
		dst = append(jsonrpc.AppendComma(dst), '[')
		dst = strconv.AppendInt(dst, int64(c.kinds[path]), 10)
		dst = append(jsonrpc.AppendString(append(dst, ','), path), ']')
	}
	all = c.all
	c.kinds, c.order, c.all, c.told = nil, nil, false, false
	return append(dst, ']'), all
}
