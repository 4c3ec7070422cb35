package fleet

import (
	"bufio"
	"net"
	"strings"
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
