package vfs

import "github.com/terrarium-dev/terrarium/hostwasm/errno"

func (m *memory) Rename(old, new string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	oldDir, oldBase, err := m.parent(old)
	if err != nil {
		return err
	}
	newDir, newBase, err := m.parent(new)
	if err != nil {
		return err
	}
	from, to := oldDir.entries.names[oldBase], newDir.entries.names[newBase]
	switch {
	case old == "." || new == ".":
		return errno.BUSY
	case from == nil:
		return errno.NOENT
	case from.node.holds(newDir):
		return errno.INVAL
	}
	if to != nil {
		if to.node == from.node {
			return nil
		}
		if err := replaceable(from.node, to.node, oldDir); err != nil {
			return err
		}
		m.take(newDir, newBase)
		m.store.giveName()
	}
	node := from.node
	m.put(newDir, newBase, node)
	m.take(oldDir, oldBase)
	return nil
}

// replaceable is why to cannot make place for from, which is in dir.
func replaceable(from, to, dir *memNode) error {
	switch {
	case to.holds(dir):
		return errno.NOTEMPTY
	case to.typ != Directory && from.typ == Directory:
		return errno.NOTDIR
	case to.typ == Directory && from.typ != Directory:
		return errno.ISDIR
	case to.typ == Directory && len(to.entries.names) > 0:
		return errno.NOTEMPTY
	}
	return nil
}

// holds says that dir is n or somewhere below it.
func (n *memNode) holds(dir *memNode) bool {
	for ; dir != nil; dir = dir.parent {
		if dir == n {
			return true
		}
	}
	return false
}
