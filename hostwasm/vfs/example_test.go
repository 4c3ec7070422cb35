//go:build linux || darwin

package vfs_test

import (
	"crypto/rand"
	"fmt"
	"os"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A project is handed over to a guest at its own path, its history read-only.
func Example() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(project)
	os.MkdirAll(project+"/history", 0o777)
	os.Symlink("/etc/passwd", project+"/link")

	tree := vfs.New(vfs.Config{MaxBytes: 1 << 30})
	defer tree.Close()
	tree.Mount("/tmp", vfs.Memory(vfs.MemoryOptions{Quota: tree.Quota().Part(64<<20, 10_000)}))
	tree.Mount("/dev", vfs.Devices(rand.Reader, false))
	tree.Mount("/bin", vfs.Bin([]string{"git", "sh"}, nil))
	for dir, o := range map[string]vfs.HostOptions{
		"":         {Quota: tree.Quota()},
		"/history": {ReadOnly: true},
	} {
		fs, err := vfs.OpenHost(project+dir, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		tree.Mount("/home/project"+dir, fs)
	}

	at := func(name string) vfs.Path { return vfs.Path{Dir: "/home/project", Name: name, Follow: true} }
	fmt.Println("mkdir history/x:", tree.Mkdir(at("history/x"), 0))
	fmt.Println("mkdir x:", tree.Mkdir(at("x"), 0))
	_, err = tree.Stat(at("link"))
	fmt.Println("stat link:", err)
	s, err := tree.Stat(at("../../bin/git"))
	fmt.Println("stat ../../bin/git:", s.Type == vfs.RegularFile, err)
	// Output:
	// mkdir history/x: EROFS
	// mkdir x: <nil>
	// stat link: ENOENT
	// stat ../../bin/git: true <nil>
}
