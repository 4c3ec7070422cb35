package remote

// A lane does things one after the other, on a goroutine that lives only while there are any.
type lane struct {
	todo       []func()
	running    bool
	operations int    // that are not answered
	call       uint64 // of the Write that is carried out
}

// enqueue has f done after all that is in l. t.mu is held.
func (t *served) enqueue(l *lane, f func()) {
	l.todo = append(l.todo, f)
	if l.running {
		return
	}
	l.running = true
	t.session.work.Go(func() { t.run(l) })
}

func (t *served) run(l *lane) {
	for {
		t.mu.Lock()
		if len(l.todo) == 0 {
			l.running, l.todo = false, nil
			t.mu.Unlock()
			return
		}
		f := l.todo[0]
		l.todo[0] = nil
		l.todo = l.todo[1:]
		t.mu.Unlock()
		f()
	}
}
