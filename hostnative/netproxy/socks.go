package netproxy

import (
	"bufio"
	"errors"
	"io"
	"net/netip"
	"slices"
	"time"
)

// RFC 1928 and RFC 1929. The numbers of the sections are those of RFC 1928.
const (
	socks4 = 0x04
	socks5 = 0x05

	withPassword = 0x02 // 3
	noMethod     = 0xff

	passwordVersion = 0x01 // RFC 1929, 2
	passwordRight   = 0x00
	passwordWrong   = 0x01

	commandConnect = 0x01 // 4
	typeIPv4       = 0x01 // 5
	typeName       = 0x03
	typeIPv6       = 0x04

	replySucceeded       = 0x00 // 6
	replyFailure         = 0x01
	replyNotAllowed      = 0x02
	replyNetUnreachable  = 0x03
	replyHostUnreachable = 0x04
	replyConnRefused     = 0x05
	replyTTLExpired      = 0x06 // also what others answer when it took too long
	replyNoCommand       = 0x07
	replyNoType          = 0x08
)

// serveSOCKS serves a client of SOCKS 5 from its first byte to its end.
func (s *Session) serveSOCKS(c *client) {
	_ = c.SetReadDeadline(time.Now().Add(s.proxy.config.HandshakeTimeout))
	r := bufio.NewReader(c)
	host, port, err := s.negotiate(r, c)
	if reply := replyError(0); errors.As(err, &reply) {
		_, _ = c.Write(replyBytes(byte(reply)))
	}
	if err != nil {
		linger(c)
		return
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Time{})
	up, err := s.connect(s.ctx, host, port)
	if err != nil {
		_, _ = c.Write(replyBytes(explain(err).reply))
		linger(c)
		return
	}
	defer up.Close()
	early, _ := r.Peek(r.Buffered())
	if _, err := c.Write(replyBytes(replySucceeded)); err != nil {
		return
	}
	s.tunnel(c, early, up)
}

// negotiate reads what a client sends before its tunnel, and answers it on w, but for the request.
// If its error is a replyError, the request is to be answered so.
func (s *Session) negotiate(r io.Reader, w io.Writer) (host string, port uint16, err error) {
	methods, err := readMethods(r)
	if err != nil {
		return "", 0, err
	}
	if !slices.Contains(methods, withPassword) {
		_, _ = w.Write([]byte{socks5, noMethod})
		return "", 0, errors.New("the client has no password")
	}
	if _, err := w.Write([]byte{socks5, withPassword}); err != nil {
		return "", 0, err
	}
	name, password, err := readPassword(r)
	if err != nil {
		return "", 0, err
	}
	if !s.knows(name, password) {
		_, _ = w.Write([]byte{passwordVersion, passwordWrong})
		return "", 0, errors.New("the password is wrong")
	}
	if _, err := w.Write([]byte{passwordVersion, passwordRight}); err != nil {
		return "", 0, err
	}
	return readRequest(r)
}

// readMethods reads a greeting: the ways in which a client may say who it is (3).
func readMethods(r io.Reader) ([]byte, error) {
	if version, err := read(r, 1); err != nil || version[0] != socks5 {
		return nil, cmpError(err)
	}
	return readCounted(r)
}

// readPassword reads a user's name and password (RFC 1929, 2).
func readPassword(r io.Reader) (name, password string, err error) {
	version, err := read(r, 1)
	if err != nil || version[0] != passwordVersion {
		return "", "", cmpError(err)
	}
	n, err := readCounted(r)
	if err != nil {
		return "", "", err
	}
	p, err := readCounted(r)
	return string(n), string(p), err
}

// readRequest reads where a client wants to go (4). The host may be any text.
func readRequest(r io.Reader) (host string, port uint16, err error) {
	head, err := read(r, 4) // version, command, a reserved byte, type of address
	if err != nil || head[0] != socks5 {
		return "", 0, cmpError(err)
	}
	var addr []byte
	switch head[3] {
	case typeIPv4:
		addr, err = read(r, 4)
	case typeIPv6:
		addr, err = read(r, 16)
	case typeName:
		addr, err = readCounted(r)
	default:
		return "", 0, replyError(replyNoType)
	}
	if err != nil {
		return "", 0, err
	}
	number, err := read(r, 2)
	if err != nil {
		return "", 0, err
	}
	if head[1] != commandConnect {
		return "", 0, replyError(replyNoCommand)
	}
	host = string(addr)
	if head[3] != typeName {
		a, _ := netip.AddrFromSlice(addr)
		host = a.String()
	}
	return host, uint16(number[0])<<8 | uint16(number[1]), nil
}

// read reads n bytes.
func read(r io.Reader, n int) ([]byte, error) {
	p := make([]byte, n)
	_, err := io.ReadFull(r, p)
	return p, err
}

// readCounted reads a byte, and then as many as it says.
func readCounted(r io.Reader) ([]byte, error) {
	n, err := read(r, 1)
	if err != nil {
		return nil, err
	}
	return read(r, int(n[0]))
}

// cmpError returns err, or if there is none that what was read is not the protocol.
func cmpError(err error) error {
	if err == nil {
		err = errors.New("it is not SOCKS 5")
	}
	return err
}

// A replyError is a request that is answered with this reply.
type replyError byte

func (e replyError) Error() string { return "the request is not one for CONNECT" }

// replyBytes answers a request (6). The address that it has to name is of no use, and none of the
// command's business.
func replyBytes(reply byte) []byte {
	return []byte{socks5, reply, 0, typeIPv4, 0, 0, 0, 0, 0, 0}
}

// socks4Refusal is what SOCKS 4 calls "rejected or failed".
// Source: https://www.openssh.com/txt/socks4.protocol
var socks4Refusal = []byte{0, 91, 0, 0, 0, 0, 0, 0}

// refuseSOCKS4 answers a client of SOCKS 4, which has no passwords.
func refuseSOCKS4(c *client) {
	_, _ = c.Write(socks4Refusal)
	linger(c)
}
