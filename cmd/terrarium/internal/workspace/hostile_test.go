package workspace_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// A member is one of a tar that somebody hostile has made.
type member struct {
	tar.Header
	was, now string // entries; "" for what fits the header
	content  string
}

func file(name, content string) member {
	return member{Header: tar.Header{Typeflag: tar.TypeReg, Name: name}, content: content}
}

func link(name, target string) member {
	return member{Header: tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}}
}

// pack returns a tar of members, which says that it has an end unless cut.
func pack(t testing.TB, cut bool, members ...member) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := m.Header
		h.Format, h.Size = tar.FormatPAX, int64(len(m.content))
		e := workspace.Entry{Kind: workspace.File, Size: h.Size, Sum: sha256.Sum256([]byte(m.content))}
		if h.Typeflag == tar.TypeSymlink {
			e = workspace.Entry{Kind: workspace.Link, Target: h.Linkname}
		}
		was, now := m.was, m.now
		if was == "" {
			was = "-"
		}
		if now == "" {
			now = e.String()
		}
		if h.PAXRecords == nil {
			h.PAXRecords = make(map[string]string)
		}
		h.PAXRecords["TERRARIUM.was"], h.PAXRecords["TERRARIUM.now"] = was, now
		if err := w.WriteHeader(&h); err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
		io.WriteString(w, m.content)
	}
	if !cut {
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"TERRARIUM.end": strconv.Itoa(len(members))}})
	}
	w.Flush()
	return &b
}

// receive takes a tar into root.
func receive(root *os.Root, r io.Reader, o workspace.Options) error {
	in, err := workspace.Receive(root, r, o)
	if err != nil {
		return err
	}
	return errors.Join(in.Commit(), in.Close())
}

// openRoot opens a directory of a test.
func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// What is hostile is refused by name, and nothing is made anywhere.
func TestHostile(t *testing.T) {
	long := strings.Repeat("n", 256)
	deep := strings.TrimSuffix(strings.Repeat("d/", 129), "/")
	for name, c := range map[string]struct {
		members []member
		want    string
	}{
		"parent":       {[]member{file("../out", "x")}, "../out: it leaves the workspace"},
		"absolute":     {[]member{file("/out", "x")}, "/out: it leaves the workspace"},
		"inner parent": {[]member{file("a/../../out", "x")}, "a/../../out: it leaves the workspace"},
		"dots":         {[]member{file("./a", "x")}, "./a: a path that is not in its shortest form"},
		"empty":        {[]member{file("", "x")}, ": no path"},
		"git":          {[]member{file(".git/hooks/pre-commit", "x")}, ".git/hooks/pre-commit: git's own files are not carried"},
		"GIT":          {[]member{file("sub/.GiT/config", "x")}, "sub/.GiT/config: git's own files"},
		"git of HFS+":  {[]member{file(".g\u200cit/config", "x")}, `.g\u200cit/config: git's own files`},
		"git of NTFS":  {[]member{file("git~1/config", "x")}, "git~1/config: git's own files"},
		"NTFS folder":  {[]member{file(`.git\config`, "x")}, `.git\config: git's own files`},
		"stage":        {[]member{file(".terrarium-workspace-x/new/0", "x")}, "a name that is ours"},
		"newline":      {[]member{file("a\nb", "x")}, `a\nb: a name that is no text`},
		"escape":       {[]member{file("a\x1b[2Jb", "x")}, `a\x1b[2Jb: a name that is no text`},
		"no text":      {[]member{file("a\xff", "x")}, `a\xff: a name that is no text`},
		"long":         {[]member{file(long, "x")}, "a name of more than 255 bytes"},
		"deep":         {[]member{file(deep, "x")}, "more than 128 directories deep"},
		"twice":        {[]member{file("a", "x"), file("a", "y")}, "a: it comes twice"},
		"through link": {[]member{link("l", "../.."), file("l/out", "x")}, "l: it is no directory, and files are to be in it"},
		"inner link":   {[]member{link("l", "."), file("l/in", "x")}, "l: it is no directory"},
		"hard link":    {[]member{{Header: tar.Header{Typeflag: tar.TypeLink, Name: "h", Linkname: "/etc/passwd"}}}, "h: it is another kind of file than it says: a hard link"},
		"device":       {[]member{{Header: tar.Header{Typeflag: tar.TypeChar, Name: "d", Devmajor: 1, Devminor: 3}}}, "d: it is another kind of file than it says: a device"},
		"pipe":         {[]member{{Header: tar.Header{Typeflag: tar.TypeFifo, Name: "p"}}}, "p: it is another kind of file than it says: a pipe"},
		"other link":   {[]member{{Header: tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "/etc"}, now: "l\t0\there"}}, "l: a symbolic link to something else"},
		"other size":   {[]member{{Header: tar.Header{Typeflag: tar.TypeReg, Name: "f"}, now: "f\t9\t" + strings.Repeat("0", 64), content: "x"}}, "f: it has another size"},
		"other sum":    {[]member{{Header: tar.Header{Typeflag: tar.TypeReg, Name: "f"}, now: "f\t1\t" + strings.Repeat("0", 64), content: "x"}}, "f: what came is not what was promised"},
		"no entry":     {[]member{{Header: tar.Header{Typeflag: tar.TypeReg, Name: "f"}, now: "nonsense"}}, "f: not an entry"},
		"huge":         {[]member{{Header: tar.Header{Typeflag: tar.TypeReg, Name: "f"}, now: "f\t99999999999999\t" + strings.Repeat("0", 64)}}, "f: a file of an impossible size"},
		"no blobs":     {[]member{{Header: tar.Header{Typeflag: tar.TypeReg, Name: "f", PAXRecords: map[string]string{"TERRARIUM.blob": "../x"}}, now: "f\t1\t" + strings.Repeat("0", 64)}}, "f: it is to be had from git"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "a", "w")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			err := receive(openRoot(t, dir), pack(t, false, c.members...), workspace.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				t.Errorf("got %v, want nothing", left)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("got %v, want nothing", left)
			}
			if _, err := os.Lstat(filepath.Join(parent, "out")); err == nil {
				t.Error("a file came out of the workspace")
			}
		})
	}
}

// What is cut off is not made.
func TestCutOff(t *testing.T) {
	dir := t.TempDir()
	whole := pack(t, true, file("a", "x"), file("b", "y"))
	for _, text := range [][]byte{whole.Bytes(), whole.Bytes()[:700], nil} {
		if err := receive(openRoot(t, dir), bytes.NewReader(text), workspace.Options{}); err == nil {
			t.Errorf("%d bytes were taken", len(text))
		}
	}
	if names, _ := os.ReadDir(dir); len(names) > 0 {
		t.Errorf("got %v, want nothing", names)
	}
}

// Sparse files, which take no bytes of the tar, are refused in each form that there is.
func TestSparse(t *testing.T) {
	sum := strings.Repeat("0", 64)
	records := []string{"GNU.sparse.major=0", "GNU.sparse.minor=1", "GNU.sparse.numblocks=1", "GNU.sparse.map=0,0", "GNU.sparse.size=1000000000",
		"TERRARIUM.was=-", "TERRARIUM.now=f\t1000000000\t" + sum}
	var pax bytes.Buffer
	for _, r := range records {
		pax.WriteString(record(r))
	}
	var b bytes.Buffer
	raw(&b, "x", 'x', pax.Bytes())
	raw(&b, "bomb", '0', nil)
	dir := t.TempDir()
	err := receive(openRoot(t, dir), &b, workspace.Options{})
	if err == nil || !strings.Contains(err.Error(), "bomb: a sparse file") {
		t.Errorf("got %v, want it refused", err)
	}
}

// record returns a record of a PAX header, which begins with its own length.
func record(text string) string {
	for n := len(text) + 3; ; n++ {
		if r := fmt.Sprintf("%d %s\n", n, text); len(r) == n {
			return r
		}
	}
}

// raw writes a member as ustar has it.
func raw(b *bytes.Buffer, name string, flag byte, content []byte) {
	h := make([]byte, 512)
	copy(h, name)
	copy(h[100:], "0000644\x00")
	copy(h[108:], "0000000\x000000000\x00")
	copy(h[124:], fmt.Sprintf("%011o\x00", len(content)))
	copy(h[136:], "00000000000\x00        ")
	h[156] = flag
	copy(h[257:], "ustar\x0000")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	b.Write(h)
	b.Write(content)
	b.Write(make([]byte, (512-len(content)%512)%512))
}

// More entries than there may be end it, long before memory does.
func TestTooMany(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	r, w := io.Pipe()
	go func() { // ends with r
		for i := range 1_000_000 {
			if _, err := fmt.Fprintf(w, "d\t0\t-\td%d\n", i); err != nil {
				return
			}
		}
		w.Close()
	}()
	defer r.Close()
	if _, err := workspace.ReadListing(r); !errors.Is(err, workspace.ErrTooMany) {
		t.Errorf("got %v, want %v", err, workspace.ErrTooMany)
	}
}

// What symbolic links say is bounded with their names, in a listing and in a tar.
func TestTooManyTargets(t *testing.T) {
	target := strings.Repeat("t", 4000)
	var lines strings.Builder
	var members []member
	for i := range 10_000 {
		fmt.Fprintf(&lines, "l\t0\t%s\t%d\n", target, i)
		m := link(strconv.Itoa(i), target)
		m.was = "l\t0\t" + target[:3999] // both are kept
		if i < 5_000 {
			members = append(members, m)
		}
	}
	lines.WriteString("end\t10000\n")
	if _, err := workspace.ReadListing(strings.NewReader(lines.String())); !errors.Is(err, workspace.ErrTooMany) {
		t.Errorf("listing: got %v, want %v", err, workspace.ErrTooMany)
	}
	if err := receive(openRoot(t, t.TempDir()), pack(t, false, members...), workspace.Options{}); !errors.Is(err, workspace.ErrTooMany) {
		t.Errorf("tar: got %v, want %v", err, workspace.ErrTooMany)
	}
}

// What could not be put back is the only copy: it stays where it is.
func TestNotPutBack(t *testing.T) {
	const precious, files = "the only copy", 500
	was := workspace.Entry{Kind: workspace.File, Size: int64(len(precious)), Sum: sha256.Sum256([]byte(precious))}.String()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); {
		dir := t.TempDir()
		write(t, dir, map[string]string{"zz": "a file, which git ignores"})
		var members []member
		for i := range files {
			name := fmt.Sprintf("f%03d", i)
			write(t, dir, map[string]string{name: precious})
			m := file(name, "new")
			m.was = was
			members = append(members, m)
		}
		// The last of all can't be put into its place, so all is undone.
		in, err := workspace.Receive(openRoot(t, dir), pack(t, false, append(members, file("zz/q", "x"))...), workspace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// Somebody makes a directory in the place of the first that is taken away.
		stop, done := make(chan struct{}), make(chan struct{})
		go func() { // ends with stop, or when it has made it
			defer close(done)
			for os.Mkdir(filepath.Join(dir, fmt.Sprintf("f%03d", files-1)), 0o700) != nil {
				select {
				case <-stop:
					return
				default:
				}
			}
			os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d", files-1), "theirs"), nil, 0o600)
		}()
		err = in.Commit()
		close(stop)
		<-done
		if err == nil {
			t.Fatal("all was put into place")
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(err.Error(), "not all could be put back") {
			continue // they came too late
		}
		kept, globErr := filepath.Glob(filepath.Join(dir, ".terrarium-workspace-*", "old", "*"))
		if globErr != nil || len(kept) != 1 {
			t.Fatalf("got %v, want the one that was not put back; %v", kept, err)
		}
		if text, err := os.ReadFile(kept[0]); err != nil || string(text) != precious {
			t.Errorf("got %q and %v, want %q", text, err, precious)
		}
		if stage, _, _ := strings.Cut(strings.TrimPrefix(kept[0], dir+"/"), "/"); !strings.Contains(err.Error(), "what was there is in "+stage) {
			t.Errorf("got %v, want %s named", err, stage)
		}
		return
	}
	t.Fatal("nobody came in between")
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		path, target string
		ok           bool
	}{
		{"l", "a", true}, {"l", "a/b", true}, {"d/l", "../a", true}, {"d/e/l", "../../a/b", true}, {"d/l", "./../a", true},
		{"l", "/etc", false}, {"l", "..", false}, {"d/l", "../..", false}, {"d/l", "a/../../b", false}, {"l", "a/..", false},
		{"l", ".git/config", false}, {"d/l", "../.GIT", false}, {"l", "a\nb", false}, {"l", "", false},
	} {
		if err := workspace.CheckTarget(c.path, c.target); (err == nil) != c.ok {
			t.Errorf("%s to %q: got %v, want it allowed: %t", c.path, c.target, err, c.ok)
		}
	}
}

// Whatever comes, nothing is made outside, and what is made is as it was said.
func FuzzReceive(f *testing.F) {
	f.Add(pack(f, false, file("a", "x"), file("d/b", "y"), link("l", "a")).Bytes())
	f.Add(pack(f, false, file("../out", "x")).Bytes())
	f.Add(pack(f, true, link("l", ".."), file("l/out", "x")).Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "w")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		err := receive(openRoot(t, dir), bytes.NewReader(text), workspace.Options{MaxBytes: 1 << 20})
		if names, _ := os.ReadDir(parent); len(names) != 1 {
			t.Errorf("got %v beside the workspace", names)
		}
		if names, _ := os.ReadDir(dir); err != nil && len(names) > 0 {
			t.Errorf("got %v and %v, want nothing", err, names)
		}
	})
}

func FuzzReadListing(f *testing.F) {
	f.Add([]byte("f\t1\t" + strings.Repeat("0", 64) + "\ta\nend\t1\n"))
	f.Add([]byte("l\t0\t../x\tb\nend\t1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := workspace.ReadListing(bytes.NewReader(text))
		if err != nil {
			return
		}
		for p := range l {
			if !filepath.IsLocal(p) {
				t.Errorf("got %q, which leaves the workspace", p)
			}
		}
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		if again, err := workspace.ReadListing(&b); err != nil || len(again) != len(l) {
			t.Errorf("what was written reads as %d entries and %v, want %d", len(again), err, len(l))
		}
	})
}
