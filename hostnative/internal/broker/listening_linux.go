package broker

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A listens says who listens at an address.
type listens int

const (
	nobody listens = iota
	ours           // only sockets that the session has bound
	others
)

// listens says who listens at an address of loopback, which is not mapped.
func (s *Session) listens(at netip.AddrPort) listens {
	inode, err := listenerOf(at)
	switch {
	case err == unix.ENOENT:
		return nobody
	case err != nil:
		return s.listensByProc(at)
	case s.ownsTCP(inode):
		return ours
	}
	return others
}

func (s *Session) ownsTCP(inode uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own.tcp.has[inode]
}

// listensByProc is listens for kernels without sock_diag(7). It takes longer, the more
// connections there are.
func (s *Session) listensByProc(at netip.AddrPort) listens {
	who := nobody
	for _, name := range []string{"tcp", "tcp6"} {
		err := eachListener(name, func(l netip.AddrPort, inode uint64) {
			// Nothing of ours listens everywhere.
			here := l.Addr().Unmap() == at.Addr()
			if l.Port() != at.Port() || !here && !l.Addr().Unmap().IsUnspecified() {
				return
			}
			switch {
			case !here || !s.ownsTCP(inode):
				who = others
			case who == nobody:
				who = ours
			}
		})
		if err != nil && !os.IsNotExist(err) { // of a kernel without IPv6
			return others
		}
	}
	return who
}

// eachListener calls f with each socket that listens, by /proc/net/tcp or tcp6, which
// have those first.
//
// https://docs.kernel.org/networking/proc_net_tcp.html
func eachListener(name string, f func(at netip.AddrPort, inode uint64)) error {
	file, err := os.Open("/proc/thread-self/net/" + name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan() // the heading
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		const address, state, inode = 1, 3, 9
		if len(fields) <= inode {
			return unix.EPROTO
		}
		if fields[state] != "0A" { // TCP_LISTEN
			return nil
		}
		at, err := parseProcAddress(fields[address])
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(fields[inode], 10, 64)
		if err != nil {
			return err
		}
		f(at, n)
	}
	return lines.Err()
}

// parseProcAddress reads "0100007F:1F90": words as the processor has them, and a port.
func parseProcAddress(text string) (netip.AddrPort, error) {
	digits, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(digits)
	if err != nil {
		return netip.AddrPort{}, err
	}
	if len(b)%4 != 0 {
		return netip.AddrPort{}, unix.EPROTO
	}
	for i := 0; i < len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	a, ok := netip.AddrFromSlice(b)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}, unix.EPROTO
	}
	return netip.AddrPortFrom(a, uint16(n)), nil
}
