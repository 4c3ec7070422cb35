package place

import "time"

// A pace slows whoever reads. The zero value is ready. It is for one goroutine at a time.
type pace struct {
	paid time.Time // until then what was read would have taken at readRate
}

const (
	readAtOnce = 1 << 20 // bytes, that nobody waits for
	// readRate is how many bytes in a second after that. What carries both streams of a container
	// has the other one wait, too: so it is far more than can be told, and little work.
	readRate = 1 << 20
)

// take counts n bytes that were read. It returns how long to wait before more are.
func (p *pace) take(n int) time.Duration {
	now := time.Now()
	if p.paid.Before(now) {
		p.paid = now
	}
	p.paid = p.paid.Add(time.Duration(n) * time.Second / readRate)
	return p.paid.Sub(now) - readAtOnce/readRate*time.Second
}
