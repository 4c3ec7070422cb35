package vfs

import "github.com/terrarium-dev/terrarium/hostwasm/errno"

// A directory has the methods of a File that are the same for each read-only
// directory, or for every directory.
type directory struct{}

func (directory) ReadAt([]byte, int64) (int, error)  { return 0, errno.ISDIR }
func (directory) WriteAt([]byte, int64) (int, error) { return 0, errno.BADF }
func (directory) Truncate(int64) error               { return errno.BADF }
func (directory) Allocate(int64, int64) error        { return errno.BADF }
func (directory) SetTimes(Times) error               { return errno.ROFS }
func (directory) Sync(bool) error                    { return nil }
func (directory) Close() error                       { return nil }

// dots appends "." and ".." to entries, as every directory begins: with the
// cookies 0 and 1. The parent's number is left to Lstat.
func dots(entries []Entry, ino, cookie uint64, max int) []Entry {
	for ; cookie < 2 && len(entries) < max; cookie++ {
		e := Entry{Name: ".", Type: Directory, Ino: ino, Next: 1}
		if cookie == 1 {
			e = Entry{Name: "..", Type: Directory, Next: 2}
		}
		entries = append(entries, e)
	}
	return entries
}
