package place_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// relayVariable has the program of the tests connect its standard streams with a socket.
const relayVariable = "TERRARIUM_TEST_RELAY"

func TestMain(m *testing.M) {
	if socket := os.Getenv(relayVariable); socket != "" {
		if err := relay(socket); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func relay(socket string) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	go func() { // ends with the process
		io.Copy(conn, os.Stdin)
		conn.(*net.UnixConn).CloseWrite()
	}()
	_, err = io.Copy(os.Stdout, conn)
	return err
}

// serve serves a host on a socket that it returns, until the test ends.
func serve(t *testing.T, dir string) (socket string) {
	t.Helper()
	socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := remote.NewServer(remote.ServerConfig{Host: resolver{}})
	t.Cleanup(func() {
		l.Close()
		server.Close()
	})
	go func() { // ends with l
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go server.Serve(conn) // ends with the connection
		}
	}()
	return socket
}

// A resolver is a host that starts nothing.
type resolver struct{}

func (resolver) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Command: c, Path: "/bin/" + c.Command, Argv: []string{c.Command}, Via: core.ViaFile}, nil
}

func (resolver) Start(context.Context, core.Exec) (driver.Process, error) {
	return nil, errors.ErrUnsupported
}
