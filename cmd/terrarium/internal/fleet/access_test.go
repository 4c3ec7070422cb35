package fleet

import (
	"bufio"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A busy server may ask whether we are there before it has answered us. It is tried again.
func TestAskedEarly(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // ends with the listener
		for answer := "PING\r\n"; ; answer = "PONG\r\n" {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Write([]byte(`INFO {"server_id":"x","max_payload":1048576,"headers":true}` + "\r\n"))
			for lines := bufio.NewReader(conn); err == nil; {
				var line string
				if line, err = lines.ReadString('\n'); strings.HasPrefix(line, "PING") {
					conn.Write([]byte(answer))
				}
			}
			conn.Close()
		}
	}()
	c, err := (&Access{URL: "nats://" + l.Addr().String()}).Connect(patient(t), "test")
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// A file of certificates is read in bounds, whatever it is.
func TestBoundedCA(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"/dev/zero": "/dev/zero: longer than 4194304 bytes", pipe: "no certificate in it"} {
		if _, err := (&Access{CA: name}).tls(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
