package repo

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
	"github.com/go-git/go-git/v6/plumbing/format/packfile"
)

// What a pack from elsewhere may have: bytes as it comes, and bytes of all its objects.
const (
	maxPack     = 2 << 30
	maxUnpacked = 8 << 30
)

// tempPack makes a file beside the packs, which whoever asks for it removes.
func (r *Repo) tempPack() (*os.File, error) {
	dir := filepath.Join(r.Common, "objects", "pack")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, "tmp_pack_")
}

// StorePack keeps a pack that comes from elsewhere. All that it claims to have is measured before
// any of it is kept: https://git-scm.com/docs/pack-format.
func (r *Repo) StorePack(in io.Reader) error {
	f, err := r.tempPack()
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	n, err := io.Copy(f, io.LimitReader(in, maxPack+1))
	switch {
	case err != nil:
		return err
	case n > maxPack:
		return fmt.Errorf("the pack has more than %d bytes", maxPack)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	count, err := measure(bufio.NewReaderSize(f, 64<<10))
	if err != nil || count == 0 {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.forgetPacks() // there is one more now
	return packfile.UpdateObjectStorage(r.store, f)
}

var errPack = errors.New("the pack is malformed")

// measure reads a pack and fails if it has more than it may have.
func measure(in *bufio.Reader) (count uint32, err error) {
	var head [12]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || string(head[:8]) != "PACK\x00\x00\x00\x02" {
		return 0, errPack
	}
	count = binary.BigEndian.Uint32(head[8:])
	if count > maxTransfer {
		return 0, fmt.Errorf("the pack has %d objects, which is too much", count)
	}
	left := uint64(maxUnpacked)
	var inflate io.ReadCloser
	for range count {
		kind, size, err := packed(in)
		if err != nil {
			return 0, err
		}
		if inflate == nil {
			inflate, err = zlib.NewReader(in)
		} else {
			err = inflate.(zlib.Resetter).Reset(in, nil)
		}
		if err != nil {
			return 0, errPack
		}
		body := bufio.NewReaderSize(inflate, 32) // for the two sizes that a delta begins with
		n := uint64(0)
		if kind >= ofsDelta {
			begin, _ := body.Peek(20)
			made, err := madeBy(begin)
			if err != nil || made > maxObject {
				return 0, errors.Join(err, fmt.Errorf("the pack has an object of %d bytes, which is too much", made))
			}
			n = made
		}
		got, err := io.Copy(io.Discard, io.LimitReader(body, int64(size)+1))
		if err != nil || uint64(got) != size {
			return 0, errPack
		}
		if n += size; n > left {
			return 0, fmt.Errorf("the pack has more than %d bytes of objects", uint64(maxUnpacked))
		}
		left -= n
	}
	return count, nil
}

const ofsDelta, refDelta = 6, 7 // kinds of object in a pack

// packed reads what stands before an object's bytes.
func packed(in *bufio.Reader) (kind byte, size uint64, err error) {
	b, err := in.ReadByte()
	if err != nil {
		return 0, 0, errPack
	}
	kind, size = b>>4&7, uint64(b&15)
	for shift := 4; b&0x80 != 0; shift += 7 {
		if b, err = in.ReadByte(); err != nil || shift > 53 {
			return 0, 0, errPack
		}
		size |= uint64(b&0x7f) << shift
	}
	if kind == 0 || kind == 5 {
		return 0, 0, errPack
	}
	if size > maxObject {
		return 0, 0, fmt.Errorf("the pack has an object of %d bytes, which is too much", size)
	}
	switch kind {
	case refDelta:
		_, err = in.Discard(hashSize)
	case ofsDelta:
		for i := 0; ; i++ {
			if b, err = in.ReadByte(); err != nil || b&0x80 == 0 || i > 9 {
				break
			}
		}
	}
	if err != nil {
		return 0, 0, errPack
	}
	return kind, size, nil
}

// madeBy returns how long what a delta makes is.
func madeBy(delta []byte) (uint64, error) {
	_, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0, errPack
	}
	made, n := binary.Uvarint(delta[n:])
	if n <= 0 {
		return 0, errPack
	}
	return made, nil
}

// MakePack writes what wants are made of, but not what whoever has the tips has, into a temporary
// file, which is the caller's to close and remove.
func (r *Repo) MakePack(wants, tips []plumbing.Hash) (*os.File, error) {
	known, err := r.known(tips)
	if err != nil {
		return nil, err
	}
	var list []plumbing.Hash
	err = r.Closure(wants, func(h plumbing.Hash) bool { return known[h] }, func(h plumbing.Hash, _ plumbing.ObjectType, _ []byte) error {
		list = append(list, h)
		return nil
	})
	if err != nil {
		return nil, err
	}
	f, err := r.tempPack()
	if err != nil {
		return nil, err
	}
	if err := r.writePack(f, list); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

func (r *Repo) writePack(f *os.File, list []plumbing.Hash) error {
	sum := sha1.New()
	out := bufio.NewWriter(io.MultiWriter(f, sum))
	out.Write(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(list))))
	for _, h := range list {
		t, b, err := r.Object(h)
		if err != nil {
			return err
		}
		size := len(b)
		first := byte(t)<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			out.WriteByte(first | 0x80)
			first = byte(size & 0x7f)
		}
		out.WriteByte(first)
		w := zlib.NewWriter(out)
		if _, err := io.Copy(w, bytes.NewReader(b)); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if _, err := f.Write(sum.Sum(nil)); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// known returns what whoever has the tips surely has: their history, and the files of each.
func (r *Repo) known(tips []plumbing.Hash) (map[plumbing.Hash]bool, error) {
	known := map[plumbing.Hash]bool{}
	var commits []plumbing.Hash
	for _, h := range tips {
		if c, err := r.ResolveCommit(h.String()); err == nil {
			known[h] = true
			commits = append(commits, c.Hash)
			err := r.Closure([]plumbing.Hash{c.TreeHash}, func(h plumbing.Hash) bool { return known[h] },
				func(h plumbing.Hash, _ plumbing.ObjectType, _ []byte) error { known[h] = true; return nil })
			if err != nil {
				return nil, err
			}
		}
	}
	err := r.Walk(commits, nil, func(c *Commit) bool { known[c.Hash] = true; return true })
	return known, err
}

// Connected fails where the history of these commits, or tags, is not all here, with its files.
// What the others are made of is known to be.
func (r *Repo) Connected(tips, others []plumbing.Hash) error {
	commits, seen := [2][]plumbing.Hash{}, map[plumbing.Hash]bool{}
	for i, list := range [][]plumbing.Hash{tips, others} {
		for _, h := range list {
			h, err := r.peel(h)
			if err != nil {
				return err
			}
			switch t, _, err := r.Object(h); {
			case err != nil && i == 0:
				return err
			case err != nil || t == plumbing.BlobObject: // a file, which is here
			case t == plumbing.CommitObject:
				commits[i] = append(commits[i], h)
			case i == 0:
				if err := r.wholeTree(h, seen); err != nil {
					return err
				}
			}
		}
	}
	var missing error
	err := r.Walk(commits[0], commits[1], func(c *Commit) bool {
		missing = r.wholeTree(c.TreeHash, seen)
		return missing == nil
	})
	return errors.Join(err, missing)
}

// wholeTree fails where a tree, or what it names, is not here. It leaves out what was seen, and
// reads no files: they are what their names say, or they were not kept.
func (r *Repo) wholeTree(h plumbing.Hash, seen map[plumbing.Hash]bool) error {
	for trees := []plumbing.Hash{h}; len(trees) > 0; {
		h := trees[len(trees)-1]
		trees = trees[:len(trees)-1]
		if seen[h] {
			continue
		}
		seen[h] = true
		b, err := r.read(plumbing.TreeObject, h)
		if err != nil {
			return err
		}
		for len(b) > 0 {
			e, rest, err := nextEntry(b, h.Size())
			if err != nil {
				return err
			}
			switch b = rest; {
			case e.mode == filemode.Submodule || seen[e.hash]: // the first is another repository's
			case e.mode == filemode.Dir:
				trees = append(trees, e.hash)
			case !r.Has(e.hash):
				return fmt.Errorf("object %s is missing", e.hash)
			default:
				seen[e.hash] = true
			}
		}
	}
	return nil
}
