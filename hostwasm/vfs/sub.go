package vfs

// Sub returns what t has below dir, an absolute path without links, as a file
// system to mount in another Tree. Nothing of t besides can be reached through it.
// Closing it leaves t alone, which must outlive it.
func Sub(t *Tree, dir string) FS { return &sub{tree: t, dir: dir} }

type sub struct {
	tree *Tree
	dir  string
	wait Wait
}

// Waiting implements Waiting.
func (s *sub) Waiting(wait Wait) FS { return &sub{s.tree, s.dir, wait} }

// path names something in the tree. Links are for the Tree that asks to follow.
func (s *sub) path(name string) Path {
	return Path{Dir: s.dir, Name: name, Beneath: true, Wait: s.wait, noLinks: true}
}

func (s *sub) Open(name string, how How) (File, error) {
	f, _, err := s.tree.Open(s.path(name), how)
	if err != nil {
		return nil, err
	}
	return subFile{f, s}, nil
}

func (s *sub) Lstat(name string) (Stat, error) {
	stat, err := s.tree.Stat(s.path(name))
	return s.stat(stat), err
}

func (s *sub) Readlink(name string) (string, error)    { return s.tree.Readlink(s.path(name)) }
func (s *sub) Mkdir(name string, mode Mode) error      { return s.tree.Mkdir(s.path(name), mode) }
func (s *sub) Unlink(name string) error                { return s.tree.Unlink(s.path(name)) }
func (s *sub) Rmdir(name string) error                 { return s.tree.Rmdir(s.path(name)) }
func (s *sub) SetTimes(name string, times Times) error { return s.tree.SetTimes(s.path(name), times) }
func (s *sub) SetMode(name string, mode Mode) error    { return s.tree.SetMode(s.path(name), mode) }
func (s *sub) Close() error                            { return nil }

func (s *sub) Rename(old, new string) error { return s.tree.Rename(s.path(old), s.path(new)) }
func (s *sub) Link(old, new string) error   { return s.tree.Link(s.path(old), s.path(new)) }

// Symlink makes any link: what it means is decided where it is followed.
func (s *sub) Symlink(target, name string) error {
	p := s.path(name)
	p.Beneath = false
	return s.tree.Symlink(target, p)
}
