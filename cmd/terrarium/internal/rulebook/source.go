package rulebook

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/core/policy"
)

// maxFile is how long a policy file may be, in bytes.
const maxFile = 1 << 20

// young is how old a change must be for a second one to show in a file's times, generously.
const young = time.Second

// A source is a policy file as it was last read.
type source struct {
	name  string // absolute
	layer policy.Layer

	mu     sync.Mutex // guards what is below
	was    identity
	looked bool // was, sum, parsed and err are of a file that was there
	fresh  bool // it had changed just before it was read: it may have changed again
	sum    [sha256.Size]byte
	parsed *policy.File
	err    error
}

// file returns the file as it is now. It is nil, without an error, if it is not there.
func (s *source) file() (*policy.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := identify(s.name)
	if err == nil && s.looked && !s.fresh && now == s.was {
		return s.parsed, s.err
	}
	var data []byte
	var was identity
	if !absent(err) {
		data, was, err = read(s.name)
	}
	if absent(err) {
		if s.looked && s.layer != policy.Project {
			return nil, named(s.name, errGone)
		}
		s.looked, s.parsed, s.err = false, nil, nil
		return nil, nil
	}
	if err != nil {
		s.looked, s.fresh = true, true
		s.sum, s.parsed, s.err = [sha256.Size]byte{}, nil, named(s.name, err)
		return nil, s.err
	}
	sum := sha256.Sum256(data)
	s.fresh = time.Since(was.changed()) < young
	if s.looked && s.sum == sum && (s.parsed != nil || s.err != nil) {
		s.was = was
		return s.parsed, s.err
	}
	s.was, s.sum, s.looked = was, sum, true
	s.parsed, s.err = policy.Parse(s.name, data, s.layer)
	return s.parsed, s.err
}

// absent reports whether err is of a file that is not there.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// named returns err with the file that it is about, once.
func named(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// read reads a regular file that is not too long. It waits for nobody, as a FIFO would.
func read(name string) ([]byte, identity, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, identity{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, identity{}, err
	case !info.Mode().IsRegular():
		return nil, identity{}, errors.New("it is not a regular file")
	case info.Size() > maxFile:
		return nil, identity{}, fmt.Errorf("it is longer than %d bytes", maxFile)
	}
	var data bytes.Buffer
	if _, err := io.Copy(&data, io.LimitReader(f, maxFile+1)); err != nil {
		return nil, identity{}, err
	}
	if data.Len() > maxFile {
		return nil, identity{}, fmt.Errorf("it is longer than %d bytes", maxFile)
	}
	return data.Bytes(), identityOf(info), nil
}

// identify returns which file has a name, and in which state.
func identify(name string) (identity, error) {
	info, err := os.Stat(name)
	if err != nil {
		return identity{}, err
	}
	return identityOf(info), nil
}
