package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/inflate"
)

// objects returns what reads the repository's packs.
func (r *Repo) objects() *packs {
	if r.packs == nil {
		dir := filepath.Join(r.Common, "objects", "pack")
		if r.Config.objectFormat() != "sha1" {
			// We read names of 20 bytes only, so that go-git is asked for all.
			names, _ := indexes(dir) // for repacked, which has the error, too
			r.packs = &packs{names: names}
			return r.packs
		}
		r.packs = openPacks(dir)
		if _, err := os.Stat(filepath.Join(r.Common, "objects", "info", "alternates")); !errors.Is(err, fs.ErrNotExist) {
			r.packs.complete = false // there are others elsewhere
		}
	}
	return r.packs
}

// repacked looks for packs again, and reports whether they are others than before: another
// program's gc moves objects meanwhile.
func (r *Repo) repacked() bool {
	names, err := indexes(filepath.Join(r.Common, "objects", "pack"))
	if err != nil || r.packs == nil || slices.Equal(names, r.packs.names) {
		return false
	}
	r.forgetPacks()
	return true
}

// forgetPacks has packs listed again when an object is read next.
func (r *Repo) forgetPacks() {
	if r.packs != nil {
		r.packs.close()
		r.packs = nil
	}
}

// Has reports whether an object is here.
func (r *Repo) Has(h plumbing.Hash) bool { return r.has(h) || r.repacked() && r.has(h) }

func (r *Repo) has(h plumbing.Hash) bool {
	if _, ok := r.objects().has(h); ok {
		return true
	}
	if _, err := os.Lstat(r.loose(h)); err == nil {
		return true
	}
	return !r.objects().complete && r.store.HasEncodedObject(h) == nil
}

// Object returns an object's type and bytes. They are lent: whoever wants to change them copies
// them.
func (r *Repo) Object(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	t, b, err := r.object(h)
	if err != nil && r.repacked() {
		return r.object(h)
	}
	return t, b, err
}

func (r *Repo) object(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	s := r.objects()
	at, packed := s.has(h)
	if packed {
		if t, b, err := s.read(at); err == nil {
			return t, b, nil
		}
	}
	t, b, err := r.readLoose(h)
	switch {
	case err == nil:
		return t, b, nil
	case errors.Is(err, fs.ErrNotExist) && !packed && s.complete:
		return 0, nil, plumbing.ErrObjectNotFound
	case err == errNoFile: // go-git would open it
		return 0, nil, err
	}
	// What we can't read is go-git's to read, or to complain of.
	o, err := r.store.EncodedObject(plumbing.AnyObject, h)
	if err != nil {
		return 0, nil, err
	}
	b, err = contents(o)
	return o.Type(), b, err
}

// read is Object of a type.
func (r *Repo) read(want plumbing.ObjectType, h plumbing.Hash) ([]byte, error) {
	t, b, err := r.Object(h)
	if err == nil && t != want {
		return nil, plumbing.ErrObjectNotFound
	}
	return b, err
}

// Blob returns the bytes of an object that is a file. They are lent, as Object's.
func (r *Repo) Blob(h plumbing.Hash) ([]byte, error) { return r.read(plumbing.BlobObject, h) }

// loose is where an object is that is in no pack.
func (r *Repo) loose(h plumbing.Hash) string {
	name := h.String()
	return filepath.Join(r.Common, "objects", name[:2], name[2:])
}

// errNoFile is that of a loose object that is a pipe, say: to open it could take for ever.
var errNoFile = errors.New("the object is no regular file")

// statLoose describes the file of a loose object, before that is opened.
func (r *Repo) statLoose(h plumbing.Hash) (fs.FileInfo, error) {
	info, err := os.Stat(r.loose(h))
	if err == nil && !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	return info, err
}

func (r *Repo) readLoose(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	info, err := r.statLoose(h)
	if err != nil {
		return 0, nil, err
	}
	f, err := os.Open(r.loose(h))
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	if info.Size() > maxObject {
		return 0, nil, fmt.Errorf("object %s has %d bytes compressed, which is too much", h, info.Size())
	}
	src := make([]byte, info.Size())
	if _, err := io.ReadFull(f, src); err != nil {
		return 0, nil, err
	}
	// Most objects are short enough for this, and only the object says how long it is.
	b := make([]byte, min(8<<10, 64+16*len(src)))
	z := &r.objects().inflate
	n, err := z.Decode(b, src)
	if err != nil && err != inflate.ErrMore {
		return 0, nil, err
	}
	head, _, ok := bytes.Cut(b[:min(n, 32)], []byte{0}) // TYPE SIZE
	word, number, _ := bytes.Cut(head, []byte(" "))
	t, typeErr := plumbing.ParseObjectType(string(word))
	if !ok || typeErr != nil {
		return 0, nil, errMalformed
	}
	size, sizeErr := strconv.ParseInt(string(number), 10, 64)
	if sizeErr != nil || size < 0 || size > maxObject || size/maxRatio > info.Size() {
		return 0, nil, fmt.Errorf("object %s has %s bytes, which is too much", h, number)
	}
	all := len(head) + 1 + int(size)
	if err == inflate.ErrMore && all > len(b) {
		b = make([]byte, all)
		n, err = z.Decode(b, src)
	}
	if err != nil || n != all {
		return 0, nil, errors.Join(err, errMalformed)
	}
	return t, b[len(head)+1 : n : n], nil
}

// Commit returns the commit, without parents if history ends there.
func (r *Repo) Commit(h plumbing.Hash) (*Commit, error) {
	b, err := r.read(plumbing.CommitObject, h)
	if err != nil {
		return nil, err
	}
	c, err := decodeCommit(h, b)
	if err != nil {
		return nil, err
	}
	shallow, err := r.Shallow()
	if shallow[h] {
		c.ParentHashes = nil
	}
	return c, err
}
