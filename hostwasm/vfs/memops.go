package vfs

import (
	"strings"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

func (m *memory) Lstat(name string) (Stat, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find(name)
	if err != nil {
		return Stat{}, err
	}
	return n.stat(), nil
}

func (m *memory) Readlink(name string) (string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find(name)
	switch {
	case err != nil:
		return "", err
	case n.typ != SymbolicLink:
		return "", errno.INVAL
	}
	return n.target, nil
}

func (m *memory) Mkdir(name string, mode Mode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add(name, m.newNode(Directory, mode.or(0o755)))
}

func (m *memory) Symlink(target, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.newNode(SymbolicLink, 0o777)
	n.target = strings.Clone(target)
	if err := m.store.takeBytes(int64(len(target))); err != nil {
		return err
	}
	err := m.add(name, n)
	if err != nil {
		m.store.giveBytes(int64(len(target)))
	}
	return err
}

func (m *memory) Link(old, new string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(old)
	if err != nil {
		return err
	}
	if _, err := m.find(new); err == nil {
		return errno.EXIST
	}
	switch {
	case n.typ == Directory:
		if _, _, err := m.parent(new); err != nil {
			return err
		}
		return errno.PERM
	case n.nlink >= maxLink:
		return errno.MLINK
	}
	return m.add(new, n)
}

func (m *memory) SetTimes(name string, t Times) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	if err != nil {
		return err
	}
	n.setTimes(t, m.now())
	return nil
}

func (m *memory) SetMode(name string, mode Mode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	switch {
	case err != nil:
		return err
	case n.typ == SymbolicLink:
		return errno.NOTSUP
	}
	n.mode, n.ctim = mode.over(n.mode, n.typ), m.now()
	return nil
}

func (m *memory) Unlink(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	switch {
	case err != nil:
		return err
	case n.typ == Directory:
		return errno.ISDIR
	}
	m.drop(name)
	return nil
}

func (m *memory) Rmdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	switch {
	case err != nil:
		return err
	case n.typ != Directory:
		return errno.NOTDIR
	case n == m.root:
		return errno.BUSY
	case len(n.entries.names) > 0:
		return errno.NOTEMPTY
	}
	m.drop(name)
	return nil
}

// drop removes a name that was found.
func (m *memory) drop(name string) {
	dir, base, _ := m.parent(name)
	m.take(dir, base)
	m.store.giveName()
}
