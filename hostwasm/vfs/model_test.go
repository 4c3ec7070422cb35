//go:build linux || darwin

package vfs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A model is what a Tree should hold, by absolute path: the target of a link,
// or "dir", or "file".
type model map[string]string

const dir, file, linkTo = "dir", "file", "-> "

// resolve is what the kernel does in a chroot, as simply as it can be said.
func (m model) resolve(p vfs.Path) (string, error) {
	links := 0
	var walk func(at []string, name string, follow bool) ([]string, error)
	walk = func(at []string, name string, follow bool) ([]string, error) {
		floor := 0
		if p.Beneath {
			floor = len(split(p.Dir))
		}
		if strings.HasPrefix(name, "/") {
			if p.Beneath {
				return nil, errno.PERM
			}
			at = nil
		}
		names := split(name)
		for i, component := range names {
			if m["/"+strings.Join(at, "/")] != dir {
				return nil, m.notDir(at)
			}
			switch component {
			case ".":
				continue
			case "..":
				if p.Beneath && len(at) == floor {
					return nil, errno.PERM
				}
				at = at[:max(len(at)-1, 0)]
				continue
			}
			last := i == len(names)-1
			next := append(slices.Clip(at), component)
			target, isLink := strings.CutPrefix(m["/"+strings.Join(next, "/")], linkTo)
			if !isLink || last && !follow && !strings.HasSuffix(name, "/") {
				at = next
				continue
			}
			if links++; links > 40 {
				return nil, errno.LOOP
			}
			if last && strings.HasSuffix(name, "/") {
				target += "/"
			}
			var err error
			if at, err = walk(at, target, follow || !last); err != nil {
				return nil, err
			}
		}
		if kind := m["/"+strings.Join(at, "/")]; kind != dir && (kind == "" || strings.HasSuffix(name, "/")) {
			return nil, m.notDir(at)
		}
		return at, nil
	}
	at, err := walk(split(p.Dir), p.Name, p.Follow)
	return "/" + strings.Join(at, "/"), err
}

func (m model) notDir(at []string) error {
	if m["/"+strings.Join(at, "/")] == "" {
		return errno.NOENT
	}
	return errno.NOTDIR
}

func split(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
}

// A source makes decisions of bytes; when they are used up, always the first.
type source []byte

func (s *source) pick(choices ...string) string {
	if len(*s) == 0 {
		return choices[0]
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return choices[int(b)%len(choices)]
}

func (s *source) name() string {
	var b strings.Builder
	b.WriteString(s.pick("", "", "", "/", "//"))
	for {
		b.WriteString(s.pick("a", "b", "m", "h", "..", ".", "canary", "c"))
		end := s.pick("", "/", "/", "//", "/END", "")
		b.WriteString(strings.TrimSuffix(end, "END"))
		if end == "" || end == "/END" {
			return b.String()
		}
	}
}

// FuzzResolve builds a tree of three mounts, one of them a box on the host
// with a canary beside it, and wants names to lead where the model says.
func FuzzResolve(f *testing.F) {
	f.Add([]byte("\x01\x02\x03"))
	for i := range 40 {
		seed := make([]byte, 300)
		for j := range seed {
			seed[j] = byte((i*131 + j*j*31 + i*j*7) >> 3)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			return
		}
		in := source(data)
		c := newCanary(t)
		tree := newTree(t, map[string]vfs.FS{"/": memory(), "/m": memory(), "/m/h": host(t, c.box, vfs.HostOptions{})})
		m := model{"/": dir, "/m": dir, "/m/h": dir, "/m/h/sub": dir, "/m/h/sub/deep": dir}
		for range 12 {
			parents := slices.Sorted(maps.Keys(m))
			parents = slices.DeleteFunc(parents, func(p string) bool { return m[p] != dir })
			at := vfs.Path{Dir: in.pick(parents...), Name: in.pick("a", "b", "c", "canary")}
			full := strings.TrimRight(at.Dir, "/") + "/" + at.Name
			if m[full] != "" {
				continue
			}
			switch kind := in.pick(linkTo, dir, file); kind {
			case dir:
				must(t, tree.Mkdir(at, 0))
				m[full] = dir
			case file:
				write(t, tree, full, "")
				m[full] = file
			case linkTo:
				target := in.name()
				must(t, tree.Symlink(target, at))
				m[full] = linkTo + target
			}
		}
		for range 20 {
			dirs := slices.Sorted(maps.Keys(m))
			dirs = slices.DeleteFunc(dirs, func(p string) bool { return m[p] != dir })
			p := vfs.Path{
				Dir: in.pick(dirs...), Name: in.name(),
				Follow: in.pick("yes", "no") == "yes", Beneath: in.pick("no", "yes") == "yes",
			}
			want, wantErr := m.resolve(p)
			s, err := tree.Stat(p)
			if err != wantErr {
				t.Errorf("stat %+v: got %v, want %v (%s) in %q", p, err, wantErr, want, m)
				continue
			}
			if err != nil {
				continue
			}
			kind := map[vfs.Type]string{vfs.Directory: dir, vfs.RegularFile: file, vfs.SymbolicLink: linkTo}[s.Type]
			if !strings.HasPrefix(m[want], kind) {
				t.Errorf("stat %+v: got a %s, want %s, which is %s in %q", p, kind, want, m[want], m)
			}
			if kind == linkTo {
				continue
			}
			f, at, err := tree.Open(p, vfs.How{Read: true})
			if err != nil || at != want {
				t.Errorf("open %+v: got %q, %v, want %q in %q", p, at, err, want, m)
				continue
			}
			f.Close()
		}
		c.check(t)
	})
}
