//go:build linux || darwin

package protect

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
)

// What a Snapshot compares with can be handed to one of the same roots in another program: as gob,
// which is for trusted places only. It has what Restore needs; what was in directories is looked at
// again.

type savedRoot struct {
	Path   string
	Dirs   map[string]savedDir
	Leaves map[string]savedLeaf
	Unseen map[string]string
	Extras map[string]int
}

type savedDir struct {
	Info savedInfo
	Git  bool
}

type savedLeaf struct {
	Info         savedInfo
	Kind         int
	Anchor, Link string
	Held, Opaque bool
	Data, Sum    []byte
}

// savedInfo has the fields of an info in their order.
type savedInfo [10]int64

func (i info) saved() savedInfo {
	return savedInfo{int64(i.dev), int64(i.ino), int64(i.mode), int64(i.uid), int64(i.gid), int64(i.nlink), i.size, i.mtime, i.ctime, i.born}
}

func (s savedInfo) info() info {
	return info{
		dev: uint64(s[0]), ino: uint64(s[1]), mode: uint32(s[2]), uid: uint32(s[3]), gid: uint32(s[4]), nlink: uint64(s[5]),
		size: s[6], mtime: s[7], ctime: s[8], born: s[9],
	}
}

// Save returns what s compares with.
func (s *Snapshot) Save() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []savedRoot
	for _, r := range s.roots {
		saved := savedRoot{
			Path: r.path, Unseen: r.base.unseen, Extras: map[string]int{},
			Dirs: map[string]savedDir{}, Leaves: map[string]savedLeaf{},
		}
		for name, d := range r.base.dirs {
			saved.Dirs[name] = savedDir{d.info.saved(), d.git}
		}
		for name, l := range r.base.leaves {
			saved.Leaves[name] = savedLeaf{
				Info: l.info.saved(), Kind: int(l.kind), Anchor: l.anchor, Link: l.link,
				Held: l.held, Opaque: l.opaque, Data: l.data, Sum: l.sum[:],
			}
		}
		for name, k := range r.extras {
			saved.Extras[name] = int(k)
		}
		all = append(all, saved)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(all); err != nil {
		return nil, fmt.Errorf("protect: save: %w", err)
	}
	s.changed = false
	return b.Bytes(), nil
}

// Changed reports whether s may compare with something else than when it was last saved or loaded.
func (s *Snapshot) Changed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

var errOtherRoots = errors.New("protect: load: it is of other directories")

// Load has s compare with what a Snapshot of the same roots has saved.
func (s *Snapshot) Load(data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []savedRoot
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&all); err != nil {
		return fmt.Errorf("protect: load: %w", err)
	}
	if len(all) != len(s.roots) {
		return errOtherRoots
	}
	for i, r := range s.roots {
		if all[i].Path != r.path {
			return errOtherRoots
		}
	}
	for i, r := range s.roots {
		r.restoreBase(&all[i])
	}
	s.watched, s.changed = false, false
	return nil
}

func (r *root) restoreBase(saved *savedRoot) {
	base := newScan()
	for name, d := range saved.Dirs {
		base.dirs[name] = &dir{info: d.Info.info(), recent: true, git: d.Git}
	}
	for name, l := range saved.Leaves {
		base.leaves[name] = &leaf{
			info: l.Info.info(), kind: kind(l.Kind), anchor: l.Anchor, touched: true,
			loaded: true, link: l.Link, held: l.Held, opaque: l.Opaque, data: l.Data,
		}
		copy(base.leaves[name].sum[:], l.Sum)
	}
	for name, why := range saved.Unseen {
		base.unseen[name] = why
	}
	r.base, r.extras = base, map[string]kind{}
	for name, k := range saved.Extras {
		r.extras[name] = kind(k)
	}
	r.extrasAt++
}
