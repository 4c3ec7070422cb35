package remote

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A side whose other side says nothing, or does not listen, gives up after two minutes.
func TestSilentHello(t *testing.T) {
	for name, other := range map[string]func(conn net.Conn){
		"says nothing":     func(conn net.Conn) { io.Copy(io.Discard, conn) },
		"does not listen":  func(net.Conn) {},
		"says half a word": func(conn net.Conn) { go io.Copy(io.Discard, conn); io.WriteString(conn, magic) },
	} {
		for _, side := range []string{"near", "far"} {
			t.Run(side+", which "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ours, theirs := net.Pipe()
					go other(theirs) // ends with the connection
					began := time.Now()
					var err error
					if side == "far" {
						_, err = Connect(t.Context(), Config{Dial: func(context.Context) (io.ReadWriteCloser, error) { return ours, nil }})
					} else {
						s := NewServer(ServerConfig{Host: &fakeHost{}})
						err = s.Serve(ours)
						s.Close()
					}
					theirs.Close()
					switch took := time.Since(began); {
					case err == nil:
						t.Error("got no error")
					case took < helloLimit || took > 2*helloLimit:
						t.Errorf("got %v after %v, want it after %v", err, took, helloLimit)
					case name != "does not listen" && !strings.Contains(err.Error(), "the other side says no hello within 2m0s"):
						t.Errorf("got %v, want it to say that there is no hello", err)
					}
				})
			})
		}
	}
}
