package driver

import (
	"sync"

	"github.com/terrarium-dev/terrarium/core"
)

// news is a queue of effects for OnNews. It is as long as there are terminals
// at the most, a few entries each: OutputChanged is there once per terminal.
type news struct {
	mu     sync.Mutex
	some   sync.Cond
	items  []item
	closed bool
}

// item is an effect, or, if changed is set, that terminal's OutputChanged.
type item struct {
	effect  core.Effect
	path    string // see terminal
	changed *terminal
}

func newNews() *news {
	n := new(news)
	n.some.L = &n.mu
	return n
}

func (n *news) push(e core.Effect, path string) { n.add(item{effect: e, path: path}) }
func (n *news) pushChanged(t *terminal)         { n.add(item{changed: t}) }

func (n *news) add(i item) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.items = append(n.items, i)
	n.some.Signal()
}

// close makes next return false once all is taken.
func (n *news) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	n.some.Signal()
}

// next waits for the next items and takes them all.
func (n *news) next(reuse []item) (items []item, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.items) == 0 && !n.closed {
		n.some.Wait()
	}
	items = n.items
	clear(reuse)
	n.items = reuse[:0]
	return items, len(items) > 0
}

// tellWork has OnWork hear of e, which is about t. d.mu is held.
func (d *Driver) tellWork(t *terminal, e core.Effect) {
	if d.config.OnWork != nil || d.config.Logger != nil {
		d.news.push(e, t.path)
	}
}

// tellNews calls OnNews, OnWork and the Logger until the news are closed.
func (d *Driver) tellNews() {
	defer close(d.newsDone)
	var items []item
	var data []byte
	for ok := true; ok; {
		items, ok = d.news.next(items)
		for i := range items {
			e := &items[i].effect
			d.logEffect(e, items[i].path)
			if e.Kind == core.Signal || e.Kind == core.Close {
				if d.config.OnWork != nil {
					d.config.OnWork(e)
				}
				continue
			}
			if d.config.OnNews == nil {
				continue
			}
			if t := items[i].changed; t != nil {
				var some bool
				if data, some = t.takeChange(e, data); !some {
					continue
				}
			}
			d.config.OnNews(e)
		}
	}
}

// takeChange fills in the OutputChanged of t, its data copied to buf.
func (t *terminal) takeChange(e *core.Effect, buf []byte) (data []byte, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = false
	*e, ok = t.half.NextEffect()
	buf = append(buf[:0], e.Data...)
	e.Data = buf
	return buf, ok
}
