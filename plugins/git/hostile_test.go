//go:build unix

package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// packet is a line of git's protocol.
func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// A packed is an object as a pack has it.
type packed struct {
	kind byte // 1 a commit, 2 a tree, 3 a blob, 6 a delta to what is so many bytes before it
	back byte // how many
	size int  // that it claims to have, if not 0
	data string
}

// pack is a pack of objects, of which it claims to have count, if that is not 0.
func pack(count uint32, objects ...packed) string {
	if count == 0 {
		count = uint32(len(objects))
	}
	var b bytes.Buffer
	b.Write(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), count))
	for _, o := range objects {
		size := o.size
		if size == 0 {
			size = len(o.data)
		}
		first := o.kind<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			b.WriteByte(first | 0x80)
			first = byte(size & 0x7f)
		}
		b.WriteByte(first)
		if o.kind == 6 {
			b.WriteByte(o.back)
		}
		z := zlib.NewWriter(&b)
		io.WriteString(z, o.data)
		z.Close()
	}
	sum := sha1.Sum(b.Bytes())
	return b.String() + string(sum[:])
}

// idOf is the name of an object.
func idOf(kind, data string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(data), data)))
}

// TestHostileServer are servers that send what must be refused, with no clone and no reference
// left.
func TestHostileServer(t *testing.T) {
	const (
		empty  = "4b825dc642cb6eb9a060e54bf8d69288fbee4904" // a tree
		nobody = "1111111111111111111111111111111111111111"
		who    = "\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nm\n"
	)
	raw := func(id string) string { return "100644 f\x00" + strings.Repeat("\x11", 20) + id }
	tree := raw("")
	treeID := idOf("tree", tree)
	noTree, noBlob, noParent := "tree "+nobody+who, "tree "+treeID+who, "tree "+empty+"\nparent "+nobody+who
	const noCommit = "object " + nobody + "\ntype commit\ntag v\ntagger a <a@b> 1 +0000\n\nm\n"
	for _, test := range []struct {
		name string
		refs string // of the advertisement, after the first packet
		pack string // sent for what is wanted, or a prefix of it
		more func(io.Writer) error
		want string // of standard error
	}{
		{name: "a reference that leads out", refs: packet(idOf("commit", noTree) + " refs/heads/../../config\x00side-band-64k\n"), want: "fatal: the server names a reference 'refs/heads/../../config', which can't be one"},
		{name: "a packet shorter than its head", refs: "0001", want: "not valid"},
		{name: "a packet that is no number", refs: "zzzz", want: "not valid"},
		{name: "millions of objects", pack: pack(4_000_000_000), want: "the pack has 4000000000 objects, which is too much"},
		{name: "an object of gigabytes", pack: pack(0, packed{kind: 3, size: 1 << 40, data: "x"}), want: "the pack has an object of 1099511627776 bytes, which is too much"},
		{name: "an object that is longer than it says", pack: pack(0, packed{kind: 3, size: 2, data: "xyz"}), want: "the pack is malformed"},
		{name: "a delta of gigabytes", pack: pack(0, packed{kind: 3, data: "x"}, packed{kind: 6, back: 10, data: "\x01\x80\x80\x80\x80\x80\x01x"}), want: "which is too much"},
		{name: "a delta to itself", pack: pack(0, packed{kind: 6, back: 0, data: "\x01\x01\x01x"}), want: "can't be used"},
		{name: "a delta to what is before the pack", pack: pack(0, packed{kind: 6, back: 0x7f, data: "\x01\x01\x01x"}), want: "can't be used"},
		{name: "no pack", pack: "PACK", want: "the pack is malformed"},
		{name: "a commit without its tree", refs: noTree, pack: pack(0, packed{kind: 1, data: noTree}), want: "did not send all necessary objects"},
		{name: "a tree without its files", refs: noBlob, pack: pack(0, packed{kind: 1, data: noBlob}, packed{kind: 2, data: tree}), want: "did not send all necessary objects"},
		{name: "a tree, which no commit has, without its files", refs: packet(treeID+" refs/heads/main\x00side-band-64k\n") + "0000", pack: pack(0, packed{kind: 2, data: tree}), want: "did not send all necessary objects"},
		{name: "a tag without its commit", refs: packet(idOf("tag", noCommit)+" refs/heads/main\x00side-band-64k\n") + "0000", pack: pack(0, packed{kind: 4, data: noCommit}), want: "did not send all necessary objects"},
		{name: "a commit without its parent", refs: noParent, pack: pack(0, packed{kind: 1, data: noParent}, packed{kind: 2}), want: "did not send all necessary objects"},
		{name: "progress without end", more: func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat(packet("\x02"+strings.Repeat("x", 65000)), 16))
			return err
		}, want: "it says too much beside the pack"},
		{name: "nothing of the pack without end", more: func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat(packet("\x01"), 1<<18))
			return err
		}, want: "it says too much beside the pack"},
	} {
		t.Run(test.name, func(t *testing.T) {
			refs := test.refs
			switch {
			case strings.HasPrefix(refs, "tree "):
				refs = packet(idOf("commit", refs)+" refs/heads/main\x00side-band-64k\n") + "0000"
			case refs == "":
				refs = packet(nobody+" refs/heads/main\x00side-band-64k\n") + "0000"
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.Method == "GET" {
					w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
					io.WriteString(w, packet("# service=git-upload-pack\n")+"0000"+refs)
					return
				}
				io.WriteString(w, packet("NAK\n"))
				for test.more != nil && test.more(w) == nil {
				}
				io.WriteString(w, packet("\x01"+test.pack)+"0000")
			}))
			defer server.Close()
			r := newRunner(t, ours(t))
			r.run(t, "git init -q -b main")
			got := r.run(t, "git fetch -q "+server.URL+"/r main 2>&1; git count-objects -v 2>/dev/null; find .git/objects -type f; cat .git/FETCH_HEAD; git -C .. clone -q "+server.URL+"/r got 2>/dev/null; ls -A ..")
			if !strings.Contains(got, test.want) || strings.Contains(got, "got") || strings.Contains(got, "panic") {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestHostileTags: tags that are of themselves, or of each other, are shown as far as a revision is
// peeled. The names of these objects are not those of their contents.
func TestHostileTags(t *testing.T) {
	r := newRunner(t, ours(t))
	if got := r.run(t, "git init -q -b main"); got != "" {
		t.Fatal(got)
	}
	itself, one, other := strings.Repeat("1", 40), strings.Repeat("2", 40), strings.Repeat("3", 40)
	for id, of := range map[string]string{itself: itself, one: other, other: one} {
		object := "object " + of + "\ntype tag\ntag t\ntagger a <a@b> 1 +0000\n\nm\n"
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		fmt.Fprintf(z, "tag %d\x00%s", len(object), object)
		z.Close()
		name := filepath.Join(r.dir, ".git/objects", id[:2], id[2:])
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const tag = "| tag t\n| Tagger: a <a@b>\n| Date:   Thu Jan 1 00:00:01 1970 +0000\n| \n| m\n| \n"
	for _, id := range []string{itself, one} {
		want := strings.Repeat(tag, 10) + "| fatal: tag " + id + " is too deep\n"
		if got := r.run(t, "timeout 30 git show "+id+" 2>&1 | head -n 100"); got != want {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
	}
}

// TestHostileObjects: an object that is a pipe, which nobody writes to, is not waited for.
func TestHostileObjects(t *testing.T) {
	r := newRunner(t, ours(t))
	if got := r.run(t, "git init -q -b main; mkdir -p .git/objects/22 .git/objects/33 ../other"); got != "" {
		t.Fatal(got)
	}
	id, tree := strings.Repeat("2", 40), strings.Repeat("3", 40)
	if err := syscall.Mkfifo(filepath.Join(r.dir, ".git/objects/22", id[2:]), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	entry := "100644 f\x00" + strings.Repeat("\x22", 20)
	fmt.Fprintf(z, "tree %d\x00%s", len(entry), entry)
	z.Close()
	if err := os.WriteFile(filepath.Join(r.dir, ".git/objects/33", tree[2:]), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	const all = "git cat-file --batch-all-objects --batch-check"
	list := "| " + id + " missing\n| " + tree + " tree 29\n"
	for _, test := range []struct{ line, want string }{
		{"git cat-file -t " + id, "! fatal: git cat-file: could not get object info\n? 128\n"},
		{"git cat-file -e " + id, "? 1\n"},
		{"git cat-file blob " + id, "! fatal: git cat-file " + id + ": bad file\n? 128\n"},
		{"git cat-file --batch-check <<E\n" + id + "\nE", "| " + id + " missing\n"},
		{all, list},
		{"git ls-tree -l " + tree, "! fatal: the object is no regular file\n? 128\n"},
		// With objects elsewhere, go-git lists those that are here.
		{"sh -c 'mkdir -p .git/objects/info; cd ../other; pwd > \"$OLDPWD/.git/objects/info/alternates\"'", ""},
		{all, list},
	} {
		if got := r.run(t, "timeout 10 "+test.line); got != test.want {
			t.Errorf("%s: got\n%s, want\n%s", test.line, got, test.want)
		}
	}
}
