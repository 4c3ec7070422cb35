//go:build linux || darwin

package hostnative

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The private directory of a workspace is NAME in Sandbox.Private. Beside it, out of reach of
// commands, is NAME.used: when it was written is when the directory was last used, and who uses it
// holds a lock on it (flock(2)). What nobody has used for long is first renamed, to .gone-NAME-N,
// and then removed.
const (
	usedSuffix = ".used"
	gonePrefix = ".gone-"
)

var (
	privateName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z2-7]{16}$`) })
	goneName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.gone-[a-z2-7]{16}-[0-9]+$`) })
)

const (
	// privateAge is how long a private directory is kept that nobody uses.
	privateAge = 30 * 24 * time.Hour
	// tidyLimit is how long a Host takes to remove what is old. The next one goes on.
	tidyLimit = 10 * time.Second
	// maxPrivate is how many entries of Sandbox.Private are looked at.
	maxPrivate = 10_000
	// maxDepth is how deep in a directory others are removed. What is deeper is taken out, and
	// removed as another.
	maxDepth = 100
)

// usePrivate makes a private directory, if it is not there, and keeps it until the file that it
// returns is closed.
func usePrivate(dir string) (*os.File, error) {
	for range 10 {
		used, err := holdUsed(dir + usedSuffix)
		if err != nil {
			return nil, err
		}
		if used == nil {
			continue
		}
		for _, name := range []string{"tmp", "cache", "go-build", "npm"} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
				used.Close()
				return nil, err
			}
		}
		return used, nil
	}
	return nil, fmt.Errorf("%s: others remove it again and again", dir)
}

// leavePrivate ends the use of a private directory, which was used until now.
func leavePrivate(used *os.File) {
	now := time.Now()
	os.Chtimes(used.Name(), now, now) // if it fails it counts as left when it was begun
	used.Close()
}

// holdUsed returns the file that says when a private directory was used, which is now, with a lock
// on it. It is nil if the file was removed meanwhile.
func holdUsed(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	used, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	// Who holds it alone is about to rename the directory, which takes no time; one who is
	// stopped just then must not keep us from starting commands.
	for range 100 {
		if err = unix.Flock(int(used.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != unix.EWOULDBLOCK && err != unix.EINTR {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	here, err1 := used.Stat()
	there, err2 := os.Lstat(name)
	if err1 != nil || err2 != nil || !os.SameFile(here, there) {
		used.Close()
		return nil, nil
	}
	now := time.Now()
	return used, os.Chtimes(name, now, now)
}

// A tidying removes private directories that nobody uses any longer.
type tidying struct {
	once sync.Once
	ctx  context.Context
	stop context.CancelFunc
	done chan struct{} // closed at the end
}

func newTidying() *tidying {
	t := &tidying{done: make(chan struct{})}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// begin begins to tidy in a directory, unless that was done before.
func (t *tidying) begin(private string) {
	t.once.Do(func() {
		go func() { // ends by end, or after tidyLimit
			defer close(t.done)
			ctx, cancel := context.WithTimeout(t.ctx, tidyLimit)
			defer cancel()
			tidy(ctx, private) // what can't be removed is there the next time, too
		}()
	})
}

// end waits until nothing more is removed.
func (t *tidying) end() {
	t.stop()
	t.once.Do(func() { close(t.done) })
	<-t.done
}

// tidy removes what is old, until ctx ends. It follows no links: nothing outside of private is
// touched, whatever commands have made in their directories.
func tidy(ctx context.Context, private string) error {
	root, err := os.OpenRoot(private)
	if err != nil {
		return err
	}
	defer root.Close()
	names, err := namesIn(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if id, ok := strings.CutSuffix(name, usedSuffix); ok && privateName().MatchString(id) {
			setAside(root, id)
		}
	}
	if names, err = namesIn(root); err != nil {
		return err
	}
	for _, name := range names {
		if goneName().MatchString(name) && ctx.Err() == nil {
			r := remover{ctx, root, strings.TrimPrefix(name, gonePrefix)[:16]}
			err = errors.Join(err, r.remove(root, name, name, 0))
		}
	}
	return err
}

func namesIn(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxPrivate)
	if err == io.EOF {
		err = nil
	}
	return names, err
}

// setAside renames a private directory that nobody has used for long.
func setAside(root *os.Root, id string) error {
	used, err := root.OpenFile(id+usedSuffix, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer used.Close() // which unlocks it
	if err := unix.Flock(int(used.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err // somebody uses it
	}
	if info, err := used.Stat(); err != nil || time.Since(info.ModTime()) < privateAge {
		return err
	}
	if err := root.Rename(id, unusedName(root, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.Remove(id + usedSuffix)
}

// unusedName returns a name for what is to be removed.
func unusedName(root *os.Root, id string) string {
	for n := 0; ; n++ {
		name := gonePrefix + id + "-" + strconv.Itoa(n)
		if _, err := root.Lstat(name); err != nil {
			return name
		}
	}
}

// A remover removes a directory that nobody uses.
type remover struct {
	ctx  context.Context
	root *os.Root
	id   string
}

// remove removes name in dir, and all that is in it. path is name from the root on.
func (r remover) remove(dir *os.Root, name, path string, depth int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return dir.Remove(name)
	}
	if depth > maxDepth {
		return r.root.Rename(path, unusedName(r.root, r.id))
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		if err := dir.Chmod(name, 0o700); err != nil {
			return err
		}
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	err = r.empty(sub, path, depth)
	sub.Close()
	if err != nil {
		return err
	}
	return dir.Remove(name)
}

// empty removes all that is in dir.
func (r remover) empty(dir *os.Root, path string, depth int) error {
	for {
		names, err := namesIn(dir)
		if err != nil || len(names) == 0 {
			return err
		}
		for _, name := range names {
			if err := r.remove(dir, name, path+"/"+name, depth+1); err != nil {
				return err
			}
		}
	}
}
