package vfs

import "github.com/terrarium-dev/terrarium/hostwasm/errno"

func (m *memory) Open(name string, how How) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	switch {
	case err == errno.NOENT && how.Create:
		n = m.newNode(RegularFile, how.Mode.or(0o644))
		err = m.add(name, n)
	case err == nil:
		err = openable(n, how)
	}
	if err != nil {
		return nil, err
	}
	if n.typ == Directory {
		return &memDir{fs: m, node: n}, nil
	}
	if how.Truncate {
		m.resize(n, 0)
	}
	n.open++
	return &memFile{fs: m, node: n, read: how.Read, write: how.Write, append: how.Append}, nil
}

// openable is why something that exists cannot be opened.
func openable(n *memNode, how How) error {
	switch {
	case how.Create && how.Exclusive:
		return errno.EXIST
	case n.typ == SymbolicLink:
		return errno.LOOP
	case n.typ == Directory && (how.Create || how.Write || how.Truncate):
		return errno.ISDIR
	case n.typ != Directory && how.Directory:
		return errno.NOTDIR
	}
	return nil
}
