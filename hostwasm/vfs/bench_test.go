//go:build linux || darwin

package vfs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// BenchmarkOpen opens a file of 4 KiB, six directories deep, describes and
// reads it. How much that costs a guest is the ratio to what Root does.
func BenchmarkOpen(b *testing.B) {
	top := b.TempDir()
	const dir = "a/b/c/d/e/f"
	must(b, os.MkdirAll(filepath.Join(top, dir), 0o777))
	page := bytes.Repeat([]byte("x"), 4<<10)
	must(b, os.WriteFile(filepath.Join(top, dir, "file"), page, 0o666))
	must(b, os.Symlink("a", filepath.Join(top, "link")))
	buf := make([]byte, len(page))
	below := filepath.Join(top, "hidden")
	must(b, os.Mkdir(below, 0o777))

	b.Run("Root", func(b *testing.B) {
		root, err := os.OpenRoot(top)
		must(b, err)
		defer root.Close()
		b.ReportAllocs()
		for b.Loop() {
			f, err := root.Open(dir + "/file")
			must(b, err)
			_, err = f.Stat()
			must(b, err)
			_, err = f.ReadAt(buf, 0)
			must(b, err)
			f.Close()
		}
	})
	for _, test := range []struct {
		name, path string
		options    vfs.HostOptions
	}{
		{"Tree", dir + "/file", vfs.HostOptions{}},
		{"Tree with quota", dir + "/file", vfs.HostOptions{Quota: vfs.NewQuota(1<<30, 1<<20)}},
		{"Tree stepwise", dir + "/file", vfs.HostOptions{}},
		{"Tree walking", "./" + dir + "/file", vfs.HostOptions{}},
		{"Tree through a link", "link/b/c/d/e/f/file", vfs.HostOptions{}},
		{"Tree, hidden elsewhere", dir + "/file", vfs.HostOptions{Hidden: hide(b, b.TempDir())}},
		{"Tree, hidden below", dir + "/file", vfs.HostOptions{Hidden: hide(b, below)}},
	} {
		b.Run(test.name, func(b *testing.B) {
			fs := host(b, top, test.options) // which the tree closes when this run ends
			if test.name == "Tree stepwise" {
				fs = vfs.Stepwise(fs)
			}
			tree := newTree(b, map[string]vfs.FS{"/home/u/proj": fs})
			p := vfs.Path{Dir: "/home/u/proj", Name: test.path, Follow: true}
			b.ReportAllocs()
			for b.Loop() {
				f, _, err := tree.Open(p, vfs.How{Read: true})
				must(b, err)
				_, err = f.Stat()
				must(b, err)
				_, err = f.ReadAt(buf, 0)
				must(b, err)
				f.Close()
			}
		})
	}
}

func hide(b *testing.B, dir string) *vfs.Hidden {
	hidden, err := vfs.Hide(dir)
	must(b, err)
	return hidden
}

// BenchmarkStat describes the same, without opening it.
func BenchmarkStat(b *testing.B) {
	top := b.TempDir()
	const dir = "a/b/c/d/e/f"
	must(b, os.MkdirAll(filepath.Join(top, dir), 0o777))
	b.Run("Root", func(b *testing.B) {
		root, err := os.OpenRoot(top)
		must(b, err)
		defer root.Close()
		b.ReportAllocs()
		for b.Loop() {
			_, err := root.Lstat(dir)
			must(b, err)
		}
	})
	b.Run("Tree", func(b *testing.B) {
		tree := newTree(b, map[string]vfs.FS{"/home/u/proj": host(b, top, vfs.HostOptions{})})
		p := vfs.Path{Dir: "/home/u/proj", Name: dir}
		b.ReportAllocs()
		for b.Loop() {
			_, err := tree.Stat(p)
			must(b, err)
		}
	})
	b.Run("Tree missing", func(b *testing.B) {
		tree := newTree(b, map[string]vfs.FS{"/home/u/proj": host(b, top, vfs.HostOptions{})})
		p := vfs.Path{Dir: "/home/u/proj", Name: dir + "/none"}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tree.Stat(p); err == nil {
				b.Fatal("found")
			}
		}
	})
}

// BenchmarkMemory writes and reads a file of 1 MiB in memory, 64 KiB at a time.
func BenchmarkMemory(b *testing.B) {
	fs := memory()
	f := open(b, fs, "f", vfs.How{Read: true, Write: true, Create: true})
	buf := make([]byte, 64<<10)
	for _, test := range []struct {
		name string
		do   func(p []byte, offset int64) (int, error)
	}{{"Write", f.WriteAt}, {"Read", f.ReadAt}} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(1 << 20)
			for b.Loop() {
				for offset := int64(0); offset < 1<<20; offset += int64(len(buf)) {
					_, err := test.do(buf, offset)
					must(b, err)
				}
			}
		})
	}
}
