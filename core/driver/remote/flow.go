package remote

import "sync"

// Flow control is by credit, per terminal and direction: who reads grants it, who writes spends it.
// What was sent and is not acknowledged has not been credited again either, so the credit also
// bounds what is kept to be sent again.

// What one side holds of the other's data, at the most, in bytes: minWindow for each terminal, and
// growth shared out among those that use it; requests bounds what both keep of requests.
const (
	maxWindow    = 256 << 10
	minWindow    = 16 << 10
	maxTerminals = 2048
	growth       = 16 << 20
	requests     = 16 << 20
	maxHeld      = maxTerminals*minWindow + growth + requests // 64 MiB
)

// dataCost is what n bytes of data cost of the credit, in a frame of their own. Data that is joined
// to that of a frame costs its bytes.
func dataCost(n int) int64 { return int64(n) + frameCost }

// A pool is what the windows of a link share. It is safe for concurrent use.
type pool struct {
	mu   sync.Mutex
	free int64
	n    int // windows
}

func newPool() *pool { return &pool{free: growth} }

// A window is what a reader grants one writer. It is for one goroutine at a time.
type window struct {
	pool    *pool
	size    int64
	granted int64 // that the writer has not spent, as far as we know
	used    int64 // that is granted again with the next grant
}

// open returns a window, whose first grant is its size.
func (p *pool) open() window {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	return window{pool: p, size: minWindow, granted: minWindow}
}

// close gives back what w had.
func (w *window) close() {
	if w.pool == nil {
		return
	}
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.pool.n--
	w.pool.free += w.size - minWindow
	w.pool = nil
}

// arrive reports whether the writer had credit for what has come.
func (w *window) arrive(cost int64) bool {
	w.granted -= cost
	return w.granted >= 0
}

// use tells that what had come was taken. It returns how much to grant now, which may be nothing.
func (w *window) use(cost int64) (grant int64) {
	w.used += cost
	if w.pool == nil || w.used < w.size/2 {
		return 0
	}
	grant = max(0, w.used+w.resize())
	w.used = 0
	w.granted += grant
	return grant
}

// resize doubles the window of a writer who uses it, up to its share, and takes back what is over
// that. It returns by how much the window has grown.
func (w *window) resize() int64 {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	share := min(maxWindow, minWindow+growth/int64(p.n))
	by := min(2*w.size, share) - w.size
	by = max(min(by, p.free), -w.used)
	p.free -= by
	w.size += by
	return by
}

// An allowance is the credit that a writer has. It is safe for concurrent use.
type allowance struct {
	mu     sync.Mutex
	more   sync.Cond
	left   int64
	closed bool
}

func newAllowance(credit int64) *allowance {
	a := &allowance{left: credit}
	a.more.L = &a.mu
	return a
}

// take waits until there is credit for a frame of data, and takes what a frame of at most n bytes
// costs. It returns how many bytes that is, or 0 after close.
func (a *allowance) take(n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.left <= frameCost && !a.closed {
		a.more.Wait()
	}
	if a.closed {
		return 0
	}
	n = int(min(int64(n), maxData, a.left-frameCost))
	a.left -= dataCost(n)
	return n
}

// add adds credit, and reports whether the reader may have granted that much.
func (a *allowance) add(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n <= 0 || n > maxWindow || a.left+n > maxWindow {
		return false
	}
	a.left += n
	a.more.Broadcast()
	return true
}

// giveBack adds credit that was taken and not spent.
func (a *allowance) giveBack(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left += n
	a.more.Broadcast()
}

// close ends all waiting.
func (a *allowance) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.more.Broadcast()
}
