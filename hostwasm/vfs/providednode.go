package vfs

import (
	"context"
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

const (
	// writeSoon is after how long what was written goes to the Provider. What
	// takes it long is written less often: at most a fifth of the time.
	writeSoon  = 4 * time.Millisecond
	writeShare = 4
)

// A providedNode is a file that is open, or not yet written. Provided.mu guards it.
type providedNode struct {
	files *Provided
	ino   uint64
	name  string // "" when it was removed; then it had
	own   providedOwn
	last  Stat // what the Provider has said of it
	open  int  // files

	data    []byte
	charged int64
	lent    bool // data is being written by the Provider: it is copied before it is changed

	version int64 // is counted up by changes
	written int64 // the version that the Provider has
	mtim    int64
	timer   *time.Timer   // writes it soon
	took    time.Duration // to write it the last time
	err     error         // of the last time, if nothing was written since
	heard   bool          // who writes was told err

	refreshing, again bool // it is being read, because the Provider has announced something
}

func (n *providedNode) dirty() bool { return n.name != "" && n.version != n.written }

// told is what the Provider would say if it had what was written.
func (n *providedNode) told() Stat {
	s := n.last
	s.Size, s.Mtim = uint64(len(n.data)), n.mtim
	return s
}

func (n *providedNode) stat() Stat {
	if n.name != "" {
		return n.files.own[n.name].over(n.told(), n.ino)
	}
	s := n.own.over(n.told(), n.ino)
	s.Nlink = 0
	return s
}

// openFile opens a file that has data, unless we know better. Its name is locked.
func (f *Provided) openFile(name string, s Stat, data []byte, how How) (File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[name]
	if n == nil {
		n = &providedNode{files: f, ino: numberOf(name), name: name}
		f.nodes[name] = n
	}
	n.open++
	if !n.dirty() {
		n.last, n.mtim = s, s.Mtim
		if err := n.replace(data); err != nil {
			n.open--
			n.free()
			return nil, err
		}
	}
	if how.Truncate {
		n.data = nil
		n.charge(0)
		n.change()
	}
	return &providedFile{node: n, read: how.Read, write: how.Write, append: how.Append}, nil
}

// replace makes data what is in the file.
func (n *providedNode) replace(data []byte) error {
	if !n.charge(int64(len(data))) {
		return errno.NOMEM
	}
	n.data, n.lent = data, false
	n.version++
	n.written = n.version
	return nil
}

// charge books size bytes in the place of what was booked, if there are as many.
func (n *providedNode) charge(size int64) bool {
	if more := size - n.charged; more > 0 && !n.files.o.Quota.takeAllBytes(more) {
		return false
	} else if more < 0 {
		n.files.o.Quota.giveBytes(-more)
	}
	n.charged = size
	return true
}

// resize makes room for size bytes, that may be written.
func (n *providedNode) resize(size int64) error {
	if size > n.files.o.MaxFile {
		return errno.FBIG
	}
	room := int64(cap(n.data))
	if size > room || n.lent {
		room = size
		if size > int64(len(n.data)) && n.charge(min(size+size/4, n.files.o.MaxFile)) {
			room = n.charged // it may grow more
		} else if !n.charge(size) {
			return errno.DQUOT
		}
		data := make([]byte, min(size, int64(len(n.data))), room)
		copy(data, n.data)
		n.data, n.lent = data, false
	}
	before := len(n.data)
	n.data = n.data[:size]
	if int(size) > before {
		clear(n.data[before:])
	}
	return nil
}

// change notes that the file was changed, and has it written soon.
func (n *providedNode) change() {
	n.version++
	n.mtim = n.files.o.Now().UnixNano()
	n.err, n.heard = nil, false
	if n.timer == nil && n.name != "" {
		n.timer = time.AfterFunc(max(writeSoon, writeShare*n.took), n.writeNow)
	}
}

// writeNow writes it because it is time.
func (n *providedNode) writeNow() {
	f := n.files
	f.mu.Lock()
	n.timer = nil
	f.mu.Unlock()
	n.flush()
}

// flush writes what the Provider has not got.
func (n *providedNode) flush() error {
	f := n.files
	for {
		f.mu.Lock()
		name, dirty := n.name, n.dirty()
		f.mu.Unlock()
		if !dirty {
			return nil
		}
		unlock, err := f.locks.lock(context.Background(), name) // it is written, whoever goes
		if err != nil {
			return err
		}
		f.mu.Lock()
		same := n.name == name
		f.mu.Unlock()
		if same {
			err = n.write(name)
		}
		unlock()
		if same {
			return err
		}
	}
}

// write writes what the Provider has not got. The name is locked.
func (n *providedNode) write(name string) error {
	f := n.files
	f.mu.Lock()
	if !n.dirty() {
		f.mu.Unlock()
		return nil
	}
	version, data, began := n.version, n.data[:len(n.data):len(n.data)], time.Now()
	n.lent = true
	f.busy[n] = struct{}{}
	f.mu.Unlock()

	err := f.write(context.Background(), name, data, true, true)
	if err == nil {
		f.changed(Changed, name)
	}
	f.mu.Lock()
	delete(f.busy, n)
	n.lent = false
	n.took = time.Since(began)
	if err == nil {
		n.written = version
	} else if n.version == version {
		n.err = err
	}
	lost := n.free()
	f.mu.Unlock()
	f.lost(name, lost)
	return err
}

// free forgets a file that nobody needs any longer. It returns why what was written
// to it is lost, if it is.
func (n *providedNode) free() (lost error) {
	f := n.files
	_, busy := f.busy[n]
	switch {
	case n.open > 0 || busy:
		return nil
	case n.dirty() && n.err == nil:
		return nil // it is about to be written
	}
	if n.dirty() {
		lost = n.err
	}
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
	if f.nodes[n.name] == n {
		delete(f.nodes, n.name)
	}
	n.charge(0)
	n.name, n.data = "", nil
	return lost
}

// lost tells that what was written to a file is lost.
func (f *Provided) lost(name string, err error) {
	if err != nil && f.o.Failed != nil {
		f.o.Failed(&ProviderError{"provider_lost", name, err})
	}
}

// Flush returns when all that was written is written, or ctx ends.
func (f *Provided) Flush(ctx context.Context) error {
	done := make(chan struct{})
	go func() { // ends when the Provider has answered, or has had its time
		defer close(done)
		for {
			f.mu.Lock()
			var nodes []*providedNode
			for _, n := range f.nodes {
				if n.dirty() && n.err == nil {
					nodes = append(nodes, n)
				}
			}
			for n := range f.busy {
				if !slices.Contains(nodes, n) {
					nodes = append(nodes, n)
				}
			}
			f.mu.Unlock()
			if len(nodes) == 0 {
				return
			}
			flushed := make(chan struct{}, len(nodes))
			for _, n := range nodes {
				go func() { // ends likewise
					n.flush()
					flushed <- struct{}{}
				}()
			}
			for range nodes {
				<-flushed
			}
		}
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Announce is what the Provider says has changed. Files that are open are read again.
func (f *Provided) Announce(c Change, name string) {
	f.mu.Lock()
	n := f.nodes[name]
	if c != Deleted && n != nil {
		if n.again = true; !n.refreshing {
			n.refreshing = true
			go n.refresh() // ends when the Provider has answered, or has had its time
		}
	}
	f.mu.Unlock()
	f.changed(c, name)
}

// refresh reads a file again that somebody else has changed.
func (n *providedNode) refresh() {
	f := n.files
	f.mu.Lock()
	defer f.mu.Unlock()
	for n.again && n.open > 0 && n.name != "" && !n.dirty() {
		n.again = false
		name, version := n.name, n.version
		f.mu.Unlock()
		data, err := f.read(context.Background(), name)
		f.mu.Lock()
		if err == nil && n.open > 0 && n.name == name && n.version == version && !n.dirty() {
			if n.replace(data) == nil {
				n.mtim = f.o.Now().UnixNano()
			}
		}
	}
	n.refreshing, n.again = false, false
}
