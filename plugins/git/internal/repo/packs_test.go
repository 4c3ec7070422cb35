package repo

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/format/packfile"
	"github.com/go-git/go-git/v6/plumbing/object"
)

func newRepo(t *testing.T) *Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".git")
	if err := Create(dir, "main", false); err != nil {
		t.Fatal(err)
	}
	r, err := Open(filepath.Dir(dir), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// packedTexts returns a repository with a pack that go-git made of versions of a text,
// and their names.
func packedTexts(t *testing.T, refDeltas bool) (r *Repo, objects []plumbing.Hash) {
	t.Helper()
	loose := newRepo(t)
	random := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("line %d has %x\n", i, random.Uint64()))
	}
	for i := range 40 {
		lines[random.IntN(len(lines))] = fmt.Sprintf("version %d\n", i)
		h, err := loose.Write(plumbing.BlobObject, []byte(strings.Join(lines[:len(lines)-i], "")))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, h)
	}
	empty, err := loose.Write(plumbing.BlobObject, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := loose.WriteTree(Snapshot{"a": {0o100644, objects[0]}, "b/c": {0o100644, empty}})
	if err != nil {
		t.Fatal(err)
	}
	objects = append(objects, empty, tree)
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, loose.store, refDeltas).Encode(objects, 10); err != nil {
		t.Fatal(err)
	}
	r = newRepo(t)
	if err := r.StorePack(&pack); err != nil {
		t.Fatal(err)
	}
	return r, objects
}

// TestObjectsOfAllSizes reads what is as long compressed as it was, and what is a thousandth of it,
// in a pack and as single objects.
func TestObjectsOfAllSizes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	single := newRepo(t)
	want := map[plumbing.Hash][]byte{}
	var objects []plumbing.Hash
	for _, size := range []int{1, 100, 8 << 10, blockSize - 100, blockSize + 1, 3 * blockSize, 1 << 20} {
		noise := make([]byte, size)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		for _, b := range [][]byte{noise, make([]byte, size), slices.Concat(noise, make([]byte, size))} {
			h, err := single.Write(plumbing.BlobObject, b)
			if err != nil {
				t.Fatal(err)
			}
			if want[h] == nil {
				objects = append(objects, h)
			}
			want[h] = b
		}
	}
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, single.store, false).Encode(objects, 0); err != nil {
		t.Fatal(err)
	}
	packed := newRepo(t)
	if err := packed.StorePack(&pack); err != nil {
		t.Fatal(err)
	}
	for h, b := range want {
		if _, got, err := single.readLoose(h); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%d bytes, single: got %d, %v", len(b), len(got), err)
		}
		at, _ := packed.objects().has(h)
		if _, got, err := packed.objects().read(at); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%d bytes, packed: got %d, %v", len(b), len(got), err)
		}
	}
}

// TestPacks reads all objects of packs, as go-git does.
func TestPacks(t *testing.T) {
	for _, refDeltas := range []bool{false, true} {
		r, objects := packedTexts(t, refDeltas)
		if s := r.objects(); !s.complete || len(s.list) != 1 || s.list[0].count != len(objects) {
			t.Fatalf("got %d packs", len(s.list))
		}
		for range 2 { // the second time out of what is kept
			for _, h := range objects {
				at, ok := r.objects().has(h)
				if !ok || !r.Has(h) {
					t.Fatalf("no %s", h)
				}
				kind, got, err := r.objects().read(at)
				if err != nil {
					t.Fatal(err)
				}
				want, err := r.store.EncodedObject(plumbing.AnyObject, h)
				if err != nil {
					t.Fatal(err)
				}
				if b, err := contents(want); err != nil || kind != want.Type() || !bytes.Equal(got, b) {
					t.Errorf("%s: got %v of %d bytes, want %v of %d: %v", h, kind, len(got), want.Type(), len(b), err)
				}
			}
		}
		if missing, _ := plumbing.FromHex(strings.Repeat("ab", hashSize)); r.Has(missing) {
			t.Error("has what is not there")
		}
	}
}

// TestHostilePacks damages a pack and its index everywhere, and cuts them off: whatever is read of
// them then, nothing panics.
func TestHostilePacks(t *testing.T) {
	r, objects := packedTexts(t, false)
	name := r.objects().list[0].name
	want := map[plumbing.Hash][]byte{}
	for _, h := range objects {
		_, b, err := r.Object(h)
		if err != nil {
			t.Fatal(err)
		}
		want[h] = b
	}
	for _, suffix := range []string{".pack", ".idx"} {
		whole, err := os.ReadFile(name + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name+suffix, 0o666); err != nil {
			t.Fatal(err)
		}
		failed := 0
		for i := 0; i < len(whole); i += 1 + len(whole)/150 {
			damaged := slices.Clone(whole)
			if damaged[i] ^= 0xff; i%3 == 0 {
				damaged = damaged[:i] // or the file ends there
			}
			if err := os.WriteFile(name+suffix, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			s := openPacks(filepath.Dir(name))
			for _, h := range objects {
				at, ok := s.has(h)
				if !ok {
					failed++
					continue
				}
				_, b, err := s.read(at)
				if err != nil || !bytes.Equal(b, want[h]) {
					failed++
				}
			}
			for _, p := range s.list {
				if p.file != nil {
					p.file.Close()
				}
			}
		}
		if failed == 0 {
			t.Errorf("%s: no damage made a difference", suffix)
		}
		if err := os.WriteFile(name+suffix, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDecodeCommit compares with what go-git makes of a commit.
func TestDecodeCommit(t *testing.T) {
	tree, parent := "tree "+strings.Repeat("12", hashSize)+"\n", "parent "+strings.Repeat("34", hashSize)+"\n"
	who := "A U Thor <a@example.org> 1700000000 -0130\n"
	for _, text := range []string{
		tree + "author " + who + "committer " + who + "\nsubject\n\nbody\n",
		tree + parent + parent + "author " + who + "committer " + who + "encoding x\ngpgsig a\n b\n \n c\nother\n\n\nno newline",
		tree + "author " + who + "committer <> 12 +0000\n\n",
		tree + "author " + who + "committer " + who,
		tree + parent + "\nmessage",
		tree + "committer " + who + parent + "\nmessage",
		tree,
		tree + "author nobody\ncommitter > 1 <\n\nx",
		"", "\n", parent + tree, "tree 12\n\n", tree + "parent 34\n\n", "treeless\n",
	} {
		o := &plumbing.MemoryObject{}
		o.SetType(plumbing.CommitObject)
		o.Write([]byte(text))
		want := &object.Commit{}
		wantErr := want.Decode(o)
		got, err := decodeCommit(o.Hash(), []byte(text))
		if (err != nil) != (wantErr != nil) {
			t.Errorf("%q: got %v, want %v", text, err, wantErr)
		}
		if err != nil || wantErr != nil {
			continue
		}
		if got.TreeHash != want.TreeHash || !slices.Equal(got.ParentHashes, want.ParentHashes) || got.Message != want.Message ||
			got.Author.String() != want.Author.String() || !got.Author.When.Equal(want.Author.When) ||
			got.Committer.String() != want.Committer.String() || !got.Committer.When.Equal(want.Committer.When) {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

// TestRepacked: another program's gc moves objects from files of their own into a pack, or from
// pack to pack, after this one has looked what packs there are.
func TestRepacked(t *testing.T) {
	r, objects := packedTexts(t, false)
	packs := filepath.Join(r.Common, "objects", "pack")
	moved := func(from, to string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(from, "pack-*"))
		if err != nil || len(files) < 2 {
			t.Fatalf("got %q, %v", files, err)
		}
		for _, name := range files {
			if err := os.Rename(name, filepath.Join(to, "pack-"+strings.Repeat("a", 40)+filepath.Ext(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	readable := func(what string, h plumbing.Hash, want bool) {
		t.Helper()
		if _, _, err := r.Object(h); (err == nil) != want {
			t.Errorf("%s: got %v", what, err)
		}
		if r.Has(h) != want {
			t.Errorf("%s: got that it is there: %v", what, !want)
		}
	}
	elsewhere := t.TempDir()
	moved(packs, elsewhere)
	readable("without its pack", objects[0], false)
	moved(elsewhere, packs)
	readable("with its pack again", objects[0], true)
	missing, _ := plumbing.FromHex(strings.Repeat("ab", hashSize))
	readable("none", missing, false)

	r, objects = packedTexts(t, false)
	packs = filepath.Join(r.Common, "objects", "pack")
	r.objects()
	moved(packs, packs)
	readable("in a pack of another name", objects[1], true)
	moved(packs, elsewhere)
	readable("in a pack that is open", objects[2], true)
}

// TestAll: the names of all objects come in order, each once, be they in files of their own or in
// packs, ours to read or go-git's.
func TestAll(t *testing.T) {
	r, want := packedTexts(t, false)
	for _, text := range []string{"loose", "more"} {
		h, err := r.Write(plumbing.BlobObject, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, h)
	}
	slices.SortFunc(want, func(a, b plumbing.Hash) int { return strings.Compare(a.String(), b.String()) })
	for _, complete := range []bool{true, false} {
		r.objects().complete = complete
		got, err := r.All()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("complete %v: got %d names, %v, want %d: %s", complete, len(got), err, len(want), got)
		}
	}
}
