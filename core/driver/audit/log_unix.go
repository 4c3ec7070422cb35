//go:build linux || darwin

package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// errLocked: somebody may have stopped another program just when it was about to append.
var errLocked = errors.New("another program keeps it locked")

// lock has the file open that has the name, and nobody else append to it.
func (l *Log) lock() error {
	for {
		if l.file == nil {
			file, err := open(l.name)
			if err != nil {
				return err
			}
			l.file, l.size = file, -1
		}
		wait := l.patience
		if errors.Is(l.why, errLocked) {
			wait = 0 // we have waited for it before
		}
		if err := flock(l.file, wait); err != nil {
			return fmt.Errorf("lock %s: %w", l.name, err)
		}
		// While we waited, another file may have taken its place.
		is, err := isAt(l.file, l.name)
		if is || err != nil {
			return err
		}
		l.file.Close()
		l.file = nil
	}
}

func (l *Log) unlock() {
	if l.file != nil {
		syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	}
}

// flock waits in steps, and not in the kernel, which would never give up.
func flock(f *os.File, wait time.Duration) error {
	for late, pause := time.Now().Add(wait), 20*time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == syscall.EINTR:
			continue
		case err != syscall.EWOULDBLOCK:
			return err
		case time.Now().After(late):
			return errLocked
		}
		time.Sleep(pause)
	}
}

// isAt reports whether f is the file of that name.
func isAt(f *os.File, name string) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	at, err := os.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(info, at), err
}

// open opens a record's file, or makes it, if nobody else can have put it there.
func open(name string) (*os.File, error) {
	if err := checkDir(filepath.Dir(name)); err != nil {
		return nil, err
	}
	info, err := os.Lstat(name) // opening a device may do something
	if err == nil {
		err = check(name, info)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkDir says why others could put another file in the place of one in dir.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode()&0o002 != 0 && info.Mode()&os.ModeSticky == 0:
		return fmt.Errorf("%s: everybody may write this directory: a record needs one of its own", dir)
	}
	return nil
}

// check says why a file can't be a record.
func check(name string, info os.FileInfo) error {
	kind := ""
	switch mode := info.Mode(); {
	case mode&os.ModeSymlink != 0:
		kind = "a symbolic link"
	case mode.IsDir():
		kind = "a directory"
	case mode&os.ModeNamedPipe != 0:
		kind = "a FIFO"
	case !mode.IsRegular():
		kind = "a device or a socket"
	case mode&0o022 != 0:
		return fmt.Errorf("%s: others may write it: a record has mode 0600", name)
	}
	if kind != "" {
		return fmt.Errorf("%s: %s: a record is a file", name, kind)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return fmt.Errorf("%s: it belongs to user %d, and we are user %d", name, owner, os.Geteuid())
	}
	return nil
}

// numbered is the name of an older file, 1 the youngest.
func numbered(name string, n int) string { return name + "." + strconv.Itoa(n) }

// rotate begins another file, whose first line names the last of this one. The name always leads to
// one of the two, so that nobody begins a third; and the new one has the lock from the beginning.
func (l *Log) rotate(like *Event) (err error) {
	temp := l.name + ".new"
	// A crash may have left it.
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	next, err := os.OpenFile(temp, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			next.Close()
			os.Remove(temp)
		}
	}()
	if err := flock(next, 0); err != nil { // it is ours alone
		return err
	}
	first := Event{Time: like.Time, Mono: like.Mono, HostID: like.HostID, Event: Rotate}
	line := l.chain(&first, nil)
	if _, err := next.Write(line); err != nil {
		return err
	}
	if err := l.age(); err != nil {
		return err
	}
	if err := os.Rename(temp, l.name); err != nil {
		return err
	}
	l.file.Close() // and its lock is free
	l.file, l.size = next, int64(len(line))
	l.end = end{seq: first.Seq, hash: first.Hash}
	return nil
}

// age gives each file the next older name, and the last one up.
func (l *Log) age() error {
	if l.config.Keep < 0 {
		return nil
	}
	youngest := numbered(l.name, 1)
	if is, err := isAt(l.file, youngest); is || err != nil {
		return err // a crash came between here and the end of rotate
	}
	free := 1 // or the oldest, to be replaced
	for free < l.config.Keep {
		if _, err := os.Lstat(numbered(l.name, free)); errors.Is(err, os.ErrNotExist) {
			break
		}
		free++
	}
	for ; free > 1; free-- {
		if err := os.Rename(numbered(l.name, free-1), numbered(l.name, free)); err != nil {
			return err
		}
	}
	// There is one where one is kept.
	if err := os.Remove(youngest); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if os.Link(l.name, youngest) == nil {
		return nil
	}
	return os.Rename(l.name, youngest) // on a file system without hard links
}

// Files opens the files of a record for reading, the oldest first. Its caller closes them, also
// those that come with an error.
func Files(name string) (files []*os.File, err error) {
	last, err := openRead(name)
	if err != nil {
		return nil, err
	}
	// So that no name moves meanwhile.
	if err := flock(last, lockTime); err != nil {
		return []*os.File{last}, err
	}
	defer syscall.Flock(int(last.Fd()), syscall.LOCK_UN)
	for n, missing := 1, 0; missing < 2; n++ { // one may be, after a crash
		f, err := openRead(numbered(name, n))
		if errors.Is(err, os.ErrNotExist) {
			missing++
			continue
		}
		if err != nil {
			return append(files, last), err
		}
		if is, _ := isAt(last, f.Name()); is {
			f.Close() // a crash came while it was rotated
			continue
		}
		files = append([]*os.File{f}, files...)
	}
	return append(files, last), nil
}

func openRead(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
