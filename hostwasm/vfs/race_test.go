//go:build linux || darwin

package vfs_test

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// raceTime is how long the races run: TERRARIUM_LONG=1 asks for long ones.
func raceTime() time.Duration {
	if os.Getenv("TERRARIUM_LONG") != "" {
		return 10 * time.Second
	}
	return time.Second / 2
}

// race runs swap and all of the others over and over, each on its own, until their time is over.
// As long as that is not enough it goes on, for a minute at most: the others may have got no
// processor.
func race(enough func() bool, swap func() error, others ...func()) (swaps int, err error) {
	stop := make(chan struct{})
	var all sync.WaitGroup
	for _, other := range others {
		all.Go(func() { // ends when stop is closed
			for {
				select {
				case <-stop:
					return
				default:
					other()
				}
			}
		})
	}
	goesOn := func(took time.Duration) bool {
		return took < raceTime() || took < time.Minute && !enough()
	}
	for began := time.Now(); err == nil && goesOn(time.Since(began)); swaps++ {
		err = swap()
	}
	close(stop)
	all.Wait()
	return swaps, err
}

// beneaths are the two ways to open a name.
var beneaths = map[string]func(vfs.FS) vfs.FS{
	"at once":  func(fs vfs.FS) vfs.FS { return fs },
	"stepwise": vfs.Stepwise,
}

// TestRaceOut has a host that swaps a directory for a link out of the box,
// again and again, while guests use names below it.
func TestRaceOut(t *testing.T) {
	for name, beneath := range beneaths {
		t.Run(name, func(t *testing.T) {
			c := newCanary(t)
			file := func(name string) string { return filepath.Join(c.box, name) }
			must(t, os.MkdirAll(file("x/dir"), 0o777))
			must(t, os.Symlink("../canary", file("link")))
			tree := newTree(t, map[string]vfs.FS{c.box: beneath(host(t, c.box, vfs.HostOptions{Quota: vfs.NewQuota(1<<30, 0)}))})
			swap := func() error {
				for _, move := range [][2]string{{"x", "dir"}, {"link", "x"}, {"x", "link"}, {"dir", "x"}} {
					if err := os.Rename(file(move[0]), file(move[1])); err != nil {
						return err
					}
				}
				return nil
			}
			at := func(name string) vfs.Path { return vfs.Path{Dir: c.box, Name: name, Follow: true} }
			below := func(name string) vfs.Path {
				return vfs.Path{Dir: c.box + "/x", Name: name, Follow: true, Beneath: true}
			}
			var inside atomic.Int64 // how many files were opened
			var leaks int           // beyond the box; one goroutine counts
			look := func(p vfs.Path, how vfs.How) {
				f, _, err := tree.Open(p, how)
				if err != nil {
					return
				}
				inside.Add(1)
				buf := make([]byte, 100)
				if n, _ := f.ReadAt(buf, 0); string(buf[:n]) == secret {
					leaks++
				}
				f.Close()
			}
			swaps, err := race(func() bool { return inside.Load() > 0 }, swap,
				func() {
					look(at("x/secret"), vfs.How{Read: true})
					look(at("x/dir/secret"), vfs.How{Read: true})
					look(below("secret"), vfs.How{Read: true})
					look(at("x/new"), vfs.How{Read: true, Write: true, Create: true, Truncate: true})
					look(at("x/dir/new"), vfs.How{Write: true, Create: true, Exclusive: true})
				},
				func() {
					tree.Mkdir(at("x/made"), 0)
					tree.Rename(at("x/made"), at("x/dir/made"))
					tree.Rename(at("sub"), at("x/sub"))
					tree.Rename(at("x/sub"), at("sub"))
					tree.Rename(at("x/secret"), at("sub/stolen"))
					tree.Link(at("x/secret"), at("sub/linked"))
					tree.Symlink("y", at("x/symlink"))
					tree.SetTimes(at("x/secret"), vfs.Times{Mtim: 1, SetMtim: true})
					tree.Rmdir(at("x/dir/made"))
					tree.Rmdir(at("x/dir"))
					tree.Mkdir(at("x/dir"), 0)
				},
				func() {
					for _, name := range []string{"x/secret", "x/dir/secret", "x/new", "x/dir/new", "x/symlink"} {
						tree.Unlink(at(name))
						tree.Unlink(below(strings.TrimPrefix(name, "x/")))
					}
				},
			)
			must(t, err)
			if inside.Load() == 0 || leaks > 0 {
				t.Errorf("of %d files that were opened during %d swaps, %d were outside of the box", inside.Load(), swaps, leaks)
			}
			c.check(t)
			t.Logf("%d swaps, %d files opened", swaps, inside.Load())
		})
	}
}

// TestRaceAroundMount has a guest that swaps a directory for a link to one that
// is mounted read-only, while another writes below it. The link stays in the
// same directory of the host, where os.Root would follow it.
func TestRaceAroundMount(t *testing.T) {
	for name, beneath := range beneaths {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "git"), 0o777))
			must(t, os.Mkdir(filepath.Join(dir, "x"), 0o777))
			config := filepath.Join(dir, "git", "config")
			must(t, os.WriteFile(config, []byte(secret), 0o666))
			tree := newTree(t, map[string]vfs.FS{
				"/w":     beneath(host(t, dir, vfs.HostOptions{})),
				"/w/git": beneath(host(t, filepath.Join(dir, "git"), vfs.HostOptions{ReadOnly: true})),
			})
			at := func(name string) vfs.Path { return vfs.Path{Dir: "/w", Name: name} }
			must(t, tree.Symlink("git", at("link")))
			swap := func() error {
				for _, move := range [][2]string{{"x", "dir"}, {"link", "x"}, {"x", "link"}, {"dir", "x"}} {
					if err := tree.Rename(at(move[0]), at(move[1])); err != nil {
						return err
					}
				}
				return nil
			}
			below := vfs.Path{Dir: "/w/x", Name: "config", Beneath: true}
			swaps, err := race(func() bool { return true }, swap,
				func() {
					for _, p := range []vfs.Path{at("x/config"), below} {
						if f, _, err := tree.Open(p, vfs.How{Write: true, Truncate: true}); err == nil {
							f.WriteAt([]byte("changed"), 0)
							f.Close()
						}
					}
				},
				func() {
					tree.Unlink(at("x/config"))
					tree.Rename(at("x/config"), at("stolen"))
					tree.Mkdir(at("x/new"), 0)
					tree.Rmdir(at("x/new"))
				},
			)
			must(t, err)
			if got, err := os.ReadFile(config); string(got) != secret {
				t.Errorf("after %d swaps the read-only file has %q, %v", swaps, got, err)
			}
			if names := list(t, tree, "/w/git"); names != "config" {
				t.Errorf("after %d swaps the read-only directory has %q", swaps, names)
			}
			t.Logf("%d swaps", swaps)
		})
	}
}

// TestRaceRefund has one guest empty a file and close it while another opens and
// empties the same file: what the file had is given back once.
func TestRaceRefund(t *testing.T) {
	q := vfs.NewQuota(1<<40, 1000)
	fs := host(t, t.TempDir(), vfs.HostOptions{Quota: q})
	rounds := 0
	for end := time.Now().Add(2 * raceTime()); time.Now().Before(end); rounds++ {
		f := open(t, fs, "f", vfs.How{Write: true, Create: true})
		must(t, f.Truncate(1<<20))
		var both sync.WaitGroup
		both.Go(func() {
			f.Truncate(0)
			f.Close()
		})
		both.Go(func() {
			f, err := fs.Open("f", vfs.How{Write: true})
			if err != nil {
				t.Error(err)
				return
			}
			f.Truncate(0)
			f.Close()
		})
		both.Wait()
		if bytes, _ := q.Used(); bytes != 0 {
			t.Fatalf("round %d: the quota counts %d bytes of an empty file", rounds, bytes)
		}
	}
}

// TestRaceNumber has one guest close a file that has no name left, while another
// makes a file, which may get the number of the first as soon as that is closed:
// neither is taken for the other.
func TestRaceNumber(t *testing.T) {
	q := vfs.NewQuota(1<<40, 1000)
	fs := host(t, t.TempDir(), vfs.HostOptions{Quota: q})
	numbers, reused := map[uint64]bool{}, 0
	rounds := 0
	for end := time.Now().Add(2 * raceTime()); time.Now().Before(end); rounds++ {
		old := open(t, fs, "old", vfs.How{Write: true, Create: true})
		must(t, old.Truncate(1<<20))
		must(t, fs.Unlink("old"))
		var both sync.WaitGroup
		both.Go(func() { old.Close() })
		both.Go(func() {
			f, err := fs.Open("new", vfs.How{Write: true, Create: true})
			if err != nil {
				t.Error(err)
				return
			}
			f.Truncate(10)
			if s, err := f.Stat(); err == nil {
				if numbers[s.Ino] {
					reused++
				}
				numbers[s.Ino] = true
			}
			f.Close()
		})
		both.Wait()
		if bytes, _ := q.Used(); bytes != 10 {
			t.Fatalf("round %d: the quota counts %d bytes of a file of 10", rounds, bytes)
		}
		must(t, fs.Unlink("new"))
		if bytes, files := q.Used(); bytes != 0 || files != 0 {
			t.Fatalf("round %d: the quota counts %d bytes of %d files, and there is none", rounds, bytes, files)
		}
	}
	t.Logf("%d rounds, %d numbers were another's before", rounds, reused)
}

// TestRaceRemoved has one guest take away a file, by its name or by a rename, while another changes
// its size and closes it: what it had at last is given back, whoever comes first.
func TestRaceRemoved(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("nothing leads to a file that was removed: see victim")
	}
	for name, remove := range map[string]func(fs vfs.FS) error{
		"unlink": func(fs vfs.FS) error { return fs.Unlink("f") },
		"rename": func(fs vfs.FS) error { return cmp.Or(fs.Rename("g", "f"), fs.Unlink("f")) },
	} {
		for _, sizes := range [][2]int64{{0, 1 << 20}, {1 << 20, 0}} {
			q := vfs.NewQuota(1<<40, 1000)
			fs := host(t, t.TempDir(), vfs.HostOptions{Quota: q})
			rounds := 0
			for end := time.Now().Add(raceTime()); time.Now().Before(end); rounds++ {
				open(t, fs, "g", vfs.How{Write: true, Create: true}).Close()
				f := open(t, fs, "f", vfs.How{Write: true, Create: true})
				must(t, f.Truncate(sizes[0]))
				var both sync.WaitGroup
				both.Go(func() {
					f.Truncate(sizes[1])
					f.Close()
				})
				both.Go(func() {
					if err := remove(fs); err != nil {
						t.Error(err)
					}
				})
				both.Wait()
				if name == "unlink" {
					must(t, fs.Unlink("g"))
				}
				if bytes, files := q.Used(); bytes != 0 || files != 0 {
					t.Fatalf("%s, %d to %d bytes, round %d: the quota counts %d bytes of %d files, and there is none",
						name, sizes[0], sizes[1], rounds, bytes, files)
				}
			}
		}
	}
}
