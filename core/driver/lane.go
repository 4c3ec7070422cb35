package driver

// lane does things one after the other, on a goroutine that lives only while
// there are any.
type lane struct {
	todo    []func()
	running bool
}

// enqueue has f done after all that is in l. d.mu is held.
func (d *Driver) enqueue(l *lane, f func()) {
	l.todo = append(l.todo, f)
	if l.running {
		return
	}
	l.running = true
	d.spawn(func() { d.run(l) })
}

func (d *Driver) run(l *lane) {
	for {
		d.mu.Lock()
		if len(l.todo) == 0 {
			l.running = false
			d.mu.Unlock()
			return
		}
		f := l.todo[0]
		l.todo[0] = nil
		l.todo = l.todo[1:]
		d.mu.Unlock()
		f()
	}
}
