package vfs

import "slices"

// memEntries are the names in a directory, also in the order in which they
// came. Each keeps its cookie for life.
type memEntries struct {
	names map[string]*memEntry
	order []*memEntry // by cookie; those removed have no node
	last  uint64      // the last cookie given away, less 2 for "." and ".."
}

type memEntry struct {
	name   string
	cookie uint64
	node   *memNode // nil when it was removed
}

func (e *memEntries) add(name string, node *memNode) {
	entry := &memEntry{name: name, cookie: e.last + 2, node: node}
	e.last++
	if e.names == nil {
		e.names = make(map[string]*memEntry)
	}
	e.names[name] = entry
	e.order = append(e.order, entry)
}

func (e *memEntries) remove(name string) *memNode {
	entry := e.names[name]
	node := entry.node
	entry.node = nil
	delete(e.names, name)
	if len(e.order) > 2*len(e.names)+32 {
		e.order = slices.DeleteFunc(e.order, func(e *memEntry) bool { return e.node == nil })
	}
	return node
}

// list returns up to max entries from a cookie on.
func (e *memEntries) list(entries []Entry, cookie uint64, max int) []Entry {
	from, _ := slices.BinarySearchFunc(e.order, cookie, func(e *memEntry, cookie uint64) int {
		if e.cookie < cookie {
			return -1
		}
		return 1
	})
	for _, entry := range e.order[from:] {
		if len(entries) >= max {
			break
		}
		if n := entry.node; n != nil {
			entries = append(entries, Entry{Name: entry.name, Type: n.typ, Ino: n.ino, Next: entry.cookie + 1})
		}
	}
	return entries
}
