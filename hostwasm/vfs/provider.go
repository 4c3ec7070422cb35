package vfs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A Provider has files that can only be asked for: those of an editor, say, with
// what was not saved. It knows whole files, and neither modes nor links that could
// be followed. Names are those of an [FS].
//
// What it answers is not trusted. Errors are of type errno.Errno; any other is EIO
// for who asked, and told to ProviderOptions.Failed. Methods are safe for concurrent
// use and return when ctx ends.
type Provider interface {
	// Stat describes a file, a directory, or a symbolic link that leads to no
	// file. Of what it returns Type, Size, Mtim and Ctim count, and a Mode that
	// has no right to write, which is a file that can't be written.
	Stat(ctx context.Context, name string) (Stat, error)
	// ReadDirectory returns the names in a directory, and their types.
	ReadDirectory(ctx context.Context, name string) ([]Entry, error)
	ReadFile(ctx context.Context, name string) ([]byte, error)
	// WriteFile makes content, which is lent, what is in a file. If create is
	// false the file is there; if overwrite is false it must not be: EEXIST.
	WriteFile(ctx context.Context, name string, content []byte, create, overwrite bool) error
	CreateDirectory(ctx context.Context, name string) error
	// Delete removes a file or an empty directory.
	Delete(ctx context.Context, name string) error
	// Rename gives a file or directory another name, over what has that.
	Rename(ctx context.Context, old, new string) error
}

// ProviderOptions say how files of a [Provider] are used.
type ProviderOptions struct {
	// Quota bounds what is held of files and directories that are open, in bytes,
	// and how many names have modes or times of their own. nil is without limit.
	Quota *Quota
	// MaxFile is the largest file, in bytes; 0 is 128 MiB. A larger one is EFBIG.
	MaxFile int64
	// MaxNames is how many names a directory may have; 0 is 100,000. With more it
	// is EOVERFLOW.
	MaxNames int
	// Timeout is how long an answer may take; 0 is 10 s. Then it is ETIMEDOUT.
	Timeout time.Duration
	// Requests is how many may be under way at a time; 0 is 32.
	Requests int
	// Wait is how calls wait that have no Wait of their own; nil is as long as it
	// takes.
	Wait Wait
	// Now is the clock for the times of files that were written; nil is time.Now.
	Now func() time.Time
	// Changed, if not nil, is told of what has changed, once the Provider has it,
	// and of what was announced. Failed, if not nil, is told of what nobody who
	// asked for something can be told, and of what is wrong with the Provider:
	// once until it works again. Both are called by any goroutine.
	Changed func(c Change, name string)
	Failed  func(*ProviderError)
}

// A Change is what became of a name.
type Change uint8

const (
	Changed Change = 1 + iota // the file has other contents
	Created                   // it is there now
	Deleted                   // it is there no longer
)

// A ProviderError is what is wrong with a Provider.
type ProviderError struct {
	// Reason is "provider_timeout": it has not answered in time;
	// "provider_failed": it has failed, and not with an errno.Errno;
	// "provider_invalid": what it has answered can't be;
	// "provider_lost": what was written to a file that is closed now is lost.
	Reason string
	Name   string // of the file
	Err    error
}

func (e *ProviderError) Error() string { return e.Name + ": " + e.Err.Error() }

func (e *ProviderError) Unwrap() error { return e.Err }

// An InvalidAnswer is the error of an answer that can't be.
type InvalidAnswer string

func (e InvalidAnswer) Error() string { return string(e) }

// Provided are the files of a [Provider], as a file system.
//
// Each is asked for when somebody opens it; what is open is held in memory. What is
// written goes to the Provider within milliseconds, and before a descriptor is
// closed, or the process ends that has it. Modes and times that are set stay in
// memory. There are no links, and those of the Provider can't be followed.
type Provided struct {
	asker
	provider Provider
	o        ProviderOptions
	turns    chan struct{} // has a value for each request that is under way
	locks    locks

	// guards the fields below, and all nodes; nothing waits that holds it
	mu    sync.Mutex
	nodes map[string]*providedNode   // that are open or not written yet, by name
	own   map[string]providedOwn     // what the Provider does not keep, by name
	told  map[string]*ProviderError  // what is wrong, by what was asked for
	busy  map[*providedNode]struct{} // being written
}

// Provide returns the files of p.
func Provide(p Provider, o ProviderOptions) *Provided {
	if o.MaxFile == 0 {
		o.MaxFile = 128 << 20
	}
	if o.MaxNames == 0 {
		o.MaxNames = 100_000
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Requests == 0 {
		o.Requests = 32
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	f := &Provided{
		provider: p, o: o, turns: make(chan struct{}, o.Requests),
		nodes: make(map[string]*providedNode), own: make(map[string]providedOwn),
		told: make(map[string]*ProviderError), busy: make(map[*providedNode]struct{}),
	}
	f.asker = asker{f, o.Wait}
	return f
}

// Waiting implements [Waiting].
func (f *Provided) Waiting(wait Wait) FS { return asker{f, wait} }

// Close does nothing: what was written is on its way. See Flush.
func (f *Provided) Close() error { return nil }

// ask asks the Provider for what has that name, as soon as it is its turn.
func ask[T any](wanted context.Context, f *Provided, what, name string, call func(ctx context.Context) (T, error)) (value T, err error) {
	ctx, cancel := context.WithTimeout(wanted, f.o.Timeout)
	defer cancel()
	select {
	case f.turns <- struct{}{}:
	case <-ctx.Done():
		return value, errno.AGAIN
	}
	value, err = call(ctx)
	<-f.turns
	var number errno.Errno
	switch {
	case err == nil:
		f.mu.Lock()
		delete(f.told, what)
		f.mu.Unlock()
		return value, nil
	case errors.As(err, &number) && number != errno.SUCCESS:
		return value, number
	case wanted.Err() != nil:
		return value, errno.INTR
	case ctx.Err() != nil:
		f.failed(what, &ProviderError{"provider_timeout", name, fmt.Errorf("%s: no answer in %v", what, f.o.Timeout)})
		return value, errno.TIMEDOUT
	}
	reason := "provider_failed"
	if _, ok := errors.AsType[InvalidAnswer](err); ok {
		reason = "provider_invalid"
	}
	f.failed(what, &ProviderError{reason, name, fmt.Errorf("%s: %w", what, err)})
	return value, errno.IO
}

// do is ask for what changes something. Once it has begun it goes on though nobody
// wants it any longer, for who knows what has become of it.
func do(wanted context.Context, f *Provided, what, name string, call func(ctx context.Context) error) error {
	if wanted.Err() != nil {
		return errno.INTR
	}
	_, err := ask(context.WithoutCancel(wanted), f, what, name, func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) })
	return err
}

// failed tells of what is wrong with the Provider, once until what was asked for
// works again.
func (f *Provided) failed(what string, e *ProviderError) {
	f.mu.Lock()
	before := f.told[what]
	f.told[what] = e
	f.mu.Unlock()
	if f.o.Failed != nil && (before == nil || before.Reason != e.Reason) {
		f.o.Failed(e)
	}
}

func (f *Provided) changed(c Change, name string) {
	if f.o.Changed != nil {
		f.o.Changed(c, name)
	}
}

// rootStat is what is said of the directory that is provided, which is always there.
var rootStat = Stat{Type: Directory}

// stat asks what a name stands for. What is to be told to guests fill makes of it.
func (f *Provided) stat(ctx context.Context, name string) (Stat, error) {
	if name == "." {
		return rootStat, nil
	}
	return ask(ctx, f, "stat", name, func(ctx context.Context) (Stat, error) {
		s, err := f.provider.Stat(ctx, name)
		switch {
		case err != nil:
			return Stat{}, err
		case s.Type != RegularFile && s.Type != Directory && s.Type != SymbolicLink:
			return Stat{}, InvalidAnswer("its type is none")
		case int64(s.Size) < 0:
			return Stat{}, InvalidAnswer("its size is none")
		}
		return s, nil
	})
}

// fill adds what the Provider does not know of a file.
func (f *Provided) fill(name string, s Stat) Stat {
	f.mu.Lock()
	defer f.mu.Unlock()
	number := numberOf(name)
	if n := f.nodes[name]; n != nil && s.Type == RegularFile {
		number = n.ino
	}
	return f.own[name].over(s, number)
}

// numberOf returns a number for a name, the 64-bit FNV-1a hash of it. It is never 0.
func numberOf(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return max(h, 1)
}

// list asks for the names in a directory.
func (f *Provided) list(ctx context.Context, name string) ([]Entry, error) {
	return ask(ctx, f, "readDirectory", name, func(ctx context.Context) ([]Entry, error) {
		entries, err := f.provider.ReadDirectory(ctx, name)
		switch {
		case err != nil:
			return nil, err
		case len(entries) > f.o.MaxNames:
			return nil, errno.OVERFLOW
		}
		return namesIn(name, entries)
	})
}

// namesIn returns what a directory has, of what a Provider says.
func namesIn(dir string, entries []Entry) ([]Entry, error) {
	list := make([]Entry, 0, len(entries))
	known := make(map[string]bool, len(entries))
	for _, e := range entries {
		switch {
		case !utf8.ValidString(e.Name):
			continue // a guest could not say it
		case !plain(e.Name) || strings.ContainsAny(e.Name, "/\x00"):
			return nil, InvalidAnswer(fmt.Sprintf("%.40q is no name", e.Name))
		case e.Type != RegularFile && e.Type != Directory && e.Type != SymbolicLink:
			e.Type = Unknown
		}
		if known[e.Name] {
			continue
		}
		known[e.Name] = true
		list = append(list, Entry{
			Name: strings.Clone(e.Name), Type: e.Type, Ino: numberOf(path.Join(dir, e.Name)), Next: uint64(len(list)) + 3,
		})
	}
	return list, nil
}

// read asks for what is in a file.
func (f *Provided) read(ctx context.Context, name string) ([]byte, error) {
	data, err := ask(ctx, f, "readFile", name, func(ctx context.Context) ([]byte, error) { return f.provider.ReadFile(ctx, name) })
	if err == nil && int64(len(data)) > f.o.MaxFile {
		return nil, errno.FBIG
	}
	return data, err
}

// write makes data what is in a file.
func (f *Provided) write(ctx context.Context, name string, data []byte, create, overwrite bool) error {
	return do(ctx, f, "writeFile", name, func(ctx context.Context) error {
		return f.provider.WriteFile(ctx, name, data, create, overwrite)
	})
}

func (f *Provided) delete(ctx context.Context, name string) error {
	return do(ctx, f, "delete", name, func(ctx context.Context) error { return f.provider.Delete(ctx, name) })
}

// locks are one for each name that somebody changes.
type locks struct {
	mu  sync.Mutex
	all map[string]*nameLock
}

type nameLock struct {
	held  chan struct{} // has a value while somebody has the lock
	users int
}

// lock keeps others from changing what has a name, until unlock. Whoever locks more
// than one does so in their order. It fails if ctx ends before.
func (l *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	l.mu.Lock()
	one := l.all[name]
	if one == nil {
		if l.all == nil {
			l.all = make(map[string]*nameLock)
		}
		one = &nameLock{held: make(chan struct{}, 1)}
		l.all[name] = one
	}
	one.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.all, name)
		}
	}
	select {
	case one.held <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, errno.INTR
	}
	return func() {
		<-one.held
		leave()
	}, nil
}

func (f *Provided) createDirectory(ctx context.Context, name string) error {
	return do(ctx, f, "createDirectory", name, func(ctx context.Context) error {
		return f.provider.CreateDirectory(ctx, name)
	})
}

func (f *Provided) move(ctx context.Context, old, new string) error {
	return do(ctx, f, "rename", old, func(ctx context.Context) error { return f.provider.Rename(ctx, old, new) })
}
