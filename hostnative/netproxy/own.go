package netproxy

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

// ownMaxAge is how long an address that this machine gets may be taken for a stranger's.
const ownMaxAge = time.Second

// ownAddrs has the addresses of this machine. Asking the kernel takes longer than all the rest of a
// decision, and commands connect many times a second.
type ownAddrs struct {
	mu    sync.Mutex // guards the rest
	asked time.Time
	addrs []netip.Addr
}

// get returns the addresses, which the caller does not change.
func (o *ownAddrs) get() ([]netip.Addr, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.asked.IsZero() && time.Since(o.asked) < ownMaxAge {
		return o.addrs, nil
	}
	nets, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("which addresses this machine has is not known: %w", err)
	}
	addrs := make([]netip.Addr, 0, len(nets))
	for _, n := range nets {
		if n, ok := n.(*net.IPNet); ok {
			if a, ok := netip.AddrFromSlice(n.IP); ok {
				addrs = append(addrs, a.Unmap())
			}
		}
	}
	o.addrs, o.asked = addrs, time.Now()
	return addrs, nil
}
