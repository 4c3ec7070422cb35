package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// Both sides of a session, in one program. Dial makes a connection to the far side, here two pipes;
// elsewhere it is the standard input and output of a program such as ssh, or a socket. The far
// side's Host is hostnative's or hostwasm's; here it is one that only says hello.
func Example() {
	server := remote.NewServer(remote.ServerConfig{Host: hello{}})
	defer server.Close() // ends what still runs

	dial := func(context.Context) (io.ReadWriteCloser, error) {
		near, far := pipes()
		go server.Serve(far) // ends with the connection
		return near, nil
	}
	ctx := context.Background()
	host, err := remote.Connect(ctx, remote.Config{Dial: dial})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()

	// From here on it is a Host as any other.
	d := driver.New(driver.Config{Host: host})
	defer d.Close()
	term, err := d.Create(ctx, "session", core.Command{Command: "hello", Args: []string{"fish"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	exit, err := term.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	output, _ := term.Output()
	fmt.Printf("%v: %s", exit.Status, output)
	// Output:
	// exit 0: hello fish
}

// pipes returns the two ends of a connection.
func pipes() (near, far io.ReadWriteCloser) {
	fromNear, toFar := io.Pipe()
	fromFar, toNear := io.Pipe()
	return end{fromFar, toFar}, end{fromNear, toNear}
}

// An end is what one side has of a connection.
type end struct {
	*io.PipeReader
	*io.PipeWriter
}

// Close ends Read and Write of both sides.
func (e end) Close() error { return errors.Join(e.PipeReader.Close(), e.PipeWriter.Close()) }

// hello is a driver.Host whose only command ends at once.
type hello struct{}

func (hello) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Command: c, Path: "/bin/hello", Argv: append([]string{c.Command}, c.Args...), Via: core.ViaArgs}, nil
}

func (hello) Start(_ context.Context, e core.Exec) (driver.Process, error) {
	return &said{argv: e.Argv}, nil
}

// A said is a process that has ended.
type said struct{ argv []string }

func (s *said) Output(sink func(stream uint8, p []byte)) error {
	sink(1, fmt.Appendln(nil, s.argv[0], s.argv[1]))
	return nil
}

func (*said) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (*said) CloseInput() error         { return nil }
func (*said) Resize(int, int) error     { return nil }
func (*said) Signal(string) error       { return nil }
func (*said) Wait() (core.Exit, error)  { return core.Exit{}, nil }
func (*said) Close() error              { return nil }
