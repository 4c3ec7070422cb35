package netproxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
)

// relayVariable is where Relay finds the proxy.
const relayVariable = "ALL_PROXY"

// relayTimeout is longer than a proxy takes to answer.
const relayTimeout = time.Minute

// Relay connects stdin and stdout with the host and port in args, through the proxy in ALL_PROXY,
// as ssh wants it of a ProxyCommand. Loopback is reached without the proxy, as NO_PROXY says.
//
// It returns when the host has ended. Then it may still be reading stdin, so the process should
// end. Its errors are sentences for a person, without a prefix.
func Relay(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 2 {
		return errors.New("it needs a host and a port")
	}
	to := net.JoinHostPort(strings.Trim(args[0], "[]"), args[1])
	conn, r, err := relayDial(args[0], to, os.Getenv(relayVariable))
	if err != nil {
		return err
	}
	defer conn.Close()
	go func() { // ends with stdin or the connection; see above
		if _, err := io.Copy(conn, stdin); err != nil {
			_ = conn.Close()
			return
		}
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	if _, err := io.Copy(stdout, r); err != nil {
		return fmt.Errorf("%s: %w", to, err)
	}
	return nil
}

// relayDial returns a connection, and a reader of what comes from it.
func relayDial(host, to, proxy string) (net.Conn, io.Reader, error) {
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); host == "localhost" || err == nil && a.Unmap().IsLoopback() {
		conn, err := net.DialTimeout("tcp", to, relayTimeout)
		return conn, conn, err
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Scheme != "http" || u.User == nil { // the error has the password
		return nil, nil, errors.New(relayVariable + " has no proxy of ours: the command is not in a session, or has changed it")
	}
	conn, err := net.DialTimeout("tcp", u.Host, relayTimeout)
	if err != nil {
		return nil, nil, fmt.Errorf("the proxy does not answer: %w", err)
	}
	_ = conn.SetDeadline(time.Now().Add(relayTimeout))
	r, err := askTunnel(conn, u.User, to)
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return conn, r, nil
}

// askTunnel asks a proxy for a tunnel, and returns what reads from it.
func askTunnel(conn io.ReadWriter, who *url.Userinfo, to string) (io.Reader, error) {
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to, Header: http.Header{}}
	password, _ := who.Password()
	request.SetBasicAuth(who.Username(), password)
	request.Header["Proxy-Authorization"] = request.Header["Authorization"]
	request.Header.Del("Authorization")
	if err := request.Write(conn); err != nil {
		return nil, fmt.Errorf("ask the proxy for %s: %w", oneLine(to), err)
	}
	return readTunnel(conn)
}

// readTunnel reads the proxy's answer, and returns a reader of what is behind it. The header and
// the text of an error are limited.
func readTunnel(conn io.Reader) (io.Reader, error) {
	limited := &io.LimitedReader{R: conn, N: maxHeader}
	r := bufio.NewReader(limited)
	response, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, errors.New("the proxy's answer can't be read: " + oneLine(err.Error()))
	}
	if response.StatusCode == http.StatusOK {
		limited.N = 1<<63 - 1
		return r, nil
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if len(text) == 0 {
		text = []byte(response.Status)
	}
	return nil, errors.New(oneLine(strings.TrimSpace(string(text))))
}
