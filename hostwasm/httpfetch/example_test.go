package httpfetch_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostwasm/httpfetch"
)

// A guest asks for what no rule lists. netproxy's Dialer decides as Dial does here, and looks names
// up.
func ExampleNew() {
	rule, err := egress.Parse("10.1.2.3:8080")
	if err != nil {
		fmt.Println(err)
		return
	}
	list := egress.List{Rules: []egress.Rule{rule}}
	fetcher := httpfetch.New(httpfetch.Config{
		Dial: func(ctx context.Context, host string, port uint16) (net.Conn, error) {
			target, err := list.Host(host, port)
			if err != nil {
				return nil, err
			}
			known := target.Known() // nothing but addresses is listed here
			to := netip.AddrPortFrom(known[0], port)
			return new(net.Dialer).DialContext(ctx, "tcp", to.String())
		},
	}) // the HTTP of a hostwasm.Config

	guest, host := net.Pipe()
	go func() { // ends when the guest has let go
		defer host.Close()
		fetcher.Fetch(context.Background(), host)
	}()
	go io.WriteString(guest, frame(1, "GET http://example.org/\nContent-Length: 0"))
	var head [12]byte // of a frame, and the code of an error
	if _, err := io.ReadFull(guest, head[:]); err != nil {
		fmt.Println(err)
		return
	}
	text, _ := io.ReadAll(guest)
	fmt.Println(binary.LittleEndian.Uint32(head[8:]), string(text))
	// Output: 2 example.org:80 is refused: it is listed by no rule; to allow it, add --net example.org:80
}
