package main

import (
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

const (
	// maxUnanswered is how many requests the page may owe an answer to, those that
	// nobody waits for any longer included.
	maxUnanswered = 256
	// maxListing is the longest listing of a directory that is read, in bytes.
	maxListing = 32 << 20
)

// A mount is a directory whose files the page has.
type mount struct {
	path    string
	timeout time.Duration
}

// mounted are the files of a mount.
type mounted struct {
	mount
	files *vfs.Provided
}

// provide returns the files of the mount with that number. wait is how who does not
// say it waits.
func (f *files) provide(number int, m mount, c *config, wait vfs.Wait) *mounted {
	p := &provider{f.asked, number}
	return &mounted{m, vfs.Provide(p, vfs.ProviderOptions{
		Quota: f.quota, MaxFile: min(maxInput, c.fileBytes), MaxNames: int(c.fileCount), Timeout: m.timeout, Wait: wait,
		Changed: func(c vfs.Change, name string) { f.changes.add(change(c), path.Join(m.path, name)) },
		Failed: func(e *vfs.ProviderError) {
			f.asked.tell(func(out *abi.Encoder) {
				out.Text("event", "provider")
				out.Text("path", m.path)
				out.Text("reason", e.Reason)
				out.Text("message", path.Join(m.path, e.Name)+": "+e.Err.Error())
			})
		},
	})}
}

// flush returns when what commands have written to mounts has arrived there, or
// they have had their time.
func (f *files) flush() {
	var all sync.WaitGroup
	for _, m := range f.mounts {
		all.Go(func() { // ends at the end of its time, at the latest
			ctx, cancel := context.WithTimeout(context.Background(), 2*m.timeout)
			defer cancel()
			m.files.Flush(ctx) // what is lost was told
		})
	}
	all.Wait()
}

// announce notes what the page says has changed in a mount.
func (f *files) announce(number int32, p []byte) error {
	if number < 0 || int(number) >= len(f.mounts) {
		return outOfRange("mount")
	}
	type told struct {
		kind vfs.Change
		name string
	}
	var list []told
	var d abi.Decoder
	err := d.Decode(p, func(v jsonrpc.Value) {
		pairs(&d, v, func(kind, name jsonrpc.Value) {
			number, err := kind.Int64()
			text, err2 := name.Text()
			if err != nil || err2 != nil || number < 1 || number > 3 || !cleanPath(text) {
				d.Wrong("change", "value")
			} else if len(list) <= maxChanges {
				list = append(list, told{vfs.Change(number), text})
			}
		})
	})
	if err != nil {
		return err
	}
	for _, t := range list {
		f.mounts[number].files.Announce(t.kind, relative(t.name))
	}
	return nil
}

// relative is what a file system calls an absolute path.
func relative(name string) string {
	if name == "/" {
		return "."
	}
	return name[1:]
}

// asked are the requests to the page's providers.
type asked struct {
	page page

	mu      sync.Mutex // guards the fields below; nothing waits that holds it
	last    int32
	waiting map[int32]chan answer // nil for one that nobody waits for any longer
	events  []byte                // room for one request
}

// An answer is what the page answers.
type answer struct {
	data []byte
	err  error
}

// tell tells the page what members writes.
func (a *asked) tell(members func(e *abi.Encoder)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.page.event(a.object(members))
}

// object returns an object with what members writes, until a.mu is given back, which
// is held.
func (a *asked) object(members func(e *abi.Encoder)) []byte {
	e := abi.Encoder{JSON: a.events[:0]}
	e.Begin()
	members(&e)
	e.End()
	a.events = e.JSON
	return e.JSON
}

// errUnanswered is why a provider that owes too many answers is asked no more.
var errUnanswered = errors.New("too many requests were not answered")

// ask asks the page, and waits for its answer until ctx ends.
func (a *asked) ask(ctx context.Context, data []byte, members func(e *abi.Encoder)) ([]byte, error) {
	a.mu.Lock()
	if len(a.waiting) >= maxUnanswered {
		a.mu.Unlock()
		return nil, errUnanswered
	}
	if a.waiting == nil {
		a.waiting = make(map[int32]chan answer)
	}
	a.last = max(a.last+1, 1)
	number, come := a.last, make(chan answer, 1)
	a.waiting[number] = come
	a.page.ask(a.object(func(e *abi.Encoder) {
		e.Int("request", int64(number))
		members(e)
	}), data)
	a.mu.Unlock()
	select {
	case got := <-come:
		return got.data, got.err
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting[number] != nil {
		a.waiting[number] = nil // an answer that comes yet is known for one
	}
	return nil, ctx.Err()
}

// answered hands an answer to who waits. what it is made of is lent.
func (a *asked) answered(number int32, make func() answer) error {
	a.mu.Lock()
	come, known := a.waiting[number]
	delete(a.waiting, number)
	a.mu.Unlock()
	switch {
	case !known:
		return errUnknownRequest
	case come != nil:
		come <- make()
	}
	return nil
}

// A provider is a vfs.Provider: the one of the page with that number.
type provider struct {
	*asked
	number int
}

// about asks the page to do something about what has a name.
func (p *provider) about(ctx context.Context, op, name string, data []byte, more func(e *abi.Encoder)) ([]byte, error) {
	return p.ask(ctx, data, func(e *abi.Encoder) {
		e.Int("mount", int64(p.number))
		e.Text("op", op)
		e.Text("path", path.Join("/", name))
		if more != nil {
			more(e)
		}
	})
}

func (p *provider) Stat(ctx context.Context, name string) (s vfs.Stat, err error) {
	answer, err := p.about(ctx, "stat", name, nil, nil)
	if err != nil {
		return s, err
	}
	var kind, size, mtime, ctime int64
	var readOnly bool
	var d abi.Decoder
	const maxTime = 1 << 43 // what nanoseconds reach, in milliseconds
	err = d.Decode(answer, func(v jsonrpc.Value) {
		d.Object(v,
			abi.Int("type", &kind, 0, 255),
			abi.Int("size", &size, 0, 1<<53),
			abi.Int("mtimeMs", &mtime, -maxTime, maxTime),
			abi.Int("ctimeMs", &ctime, -maxTime, maxTime),
			abi.Of("readOnly", &readOnly),
		)
	})
	if err != nil {
		return s, vfs.InvalidAnswer(err.Error())
	}
	s = vfs.Stat{Type: typeOf(kind), Size: uint64(size), Mtim: mtime * 1e6, Ctim: ctime * 1e6}
	if readOnly {
		s.Mode = vfs.ModeKnown | 0o444
	}
	return s, nil
}

// typeOf is the inverse of fileType, for VS Code's types: there a link has the type
// of what it leads to as well. One to a directory stays a link, so that what removes
// a tree leaves alone what it leads to.
func typeOf(kind int64) vfs.Type {
	switch {
	case kind&^64 == 1:
		return vfs.RegularFile
	case kind == 2:
		return vfs.Directory
	case kind&64 != 0:
		return vfs.SymbolicLink
	}
	return vfs.Unknown
}

func (p *provider) ReadDirectory(ctx context.Context, name string) (list []vfs.Entry, err error) {
	answer, err := p.about(ctx, "readDirectory", name, nil, nil)
	switch {
	case err != nil:
		return nil, err
	case len(answer) > maxListing:
		return nil, errno.OVERFLOW
	}
	var d abi.Decoder
	err = d.Decode(answer, func(v jsonrpc.Value) {
		pairs(&d, v, func(name, kind jsonrpc.Value) {
			text, err := name.Text()
			number, err2 := kind.Int64()
			if err != nil || err2 != nil {
				d.Wrong("entry", "type")
			}
			list = append(list, vfs.Entry{Name: text, Type: typeOf(number)})
		})
	})
	if err != nil {
		return nil, vfs.InvalidAnswer(err.Error())
	}
	return list, nil
}

// pairs reads a list of lists of two.
func pairs(d *abi.Decoder, v jsonrpc.Value, each func(a, b jsonrpc.Value)) {
	d.List(v, func(v jsonrpc.Value) {
		var both [2]jsonrpc.Value
		n := 0
		d.List(v, func(v jsonrpc.Value) {
			if n < 2 {
				both[n] = v
			}
			n++
		})
		if n != 2 {
			d.Wrong("pair", "value")
			return
		}
		each(both[0], both[1])
	})
}

func (p *provider) ReadFile(ctx context.Context, name string) ([]byte, error) {
	return p.about(ctx, "readFile", name, nil, nil)
}

func (p *provider) WriteFile(ctx context.Context, name string, content []byte, create, overwrite bool) error {
	_, err := p.about(ctx, "writeFile", name, content, func(e *abi.Encoder) {
		e.Bool("create", create)
		e.Bool("overwrite", overwrite)
	})
	return err
}

func (p *provider) CreateDirectory(ctx context.Context, name string) error {
	_, err := p.about(ctx, "createDirectory", name, nil, nil)
	return err
}

func (p *provider) Delete(ctx context.Context, name string) error {
	_, err := p.about(ctx, "delete", name, nil, nil)
	return err
}

func (p *provider) Rename(ctx context.Context, old, new string) error {
	_, err := p.about(ctx, "rename", old, nil, func(e *abi.Encoder) { e.Text("to", path.Join("/", new)) })
	return err
}

// provided is the page's answer to a request: what was asked for, or why not.
func (f *files) provided(number int32, failed bool, p []byte) error {
	return f.asked.answered(number, func() answer {
		if failed {
			return answer{err: providerFailure(p)}
		}
		if used, _ := f.quota.Used(); used+int64(len(p)) > f.limit {
			return answer{err: errno.NOMEM}
		}
		return answer{data: append([]byte(nil), p...)}
	})
}

// providerErrors are the words for what a provider may say, ABI.md has them.
var providerErrors = map[string]errno.Errno{
	"file_not_found": errno.NOENT, "file_exists": errno.EXIST, "not_a_directory": errno.NOTDIR,
	"is_a_directory": errno.ISDIR, "not_empty": errno.NOTEMPTY, "no_space": errno.NOSPC,
	"no_permission": errno.ACCES, "unavailable": errno.AGAIN, "too_large": errno.FBIG, "too_many": errno.OVERFLOW,
}

// providerFailure is why a provider has not done what it was asked to do.
func providerFailure(p []byte) error {
	e, err := decodeFailure(p)
	if err != nil {
		return err
	}
	if number, known := providerErrors[e.Reason]; known {
		return number
	}
	if e.Reason == "invalid" {
		return vfs.InvalidAnswer(e.Message)
	}
	return errors.New(e.Message)
}
