package egress_test

import (
	"fmt"
	"net/netip"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// A proxy decides twice: on the name, and on each address that it leads to.
func Example() {
	var list egress.List
	for _, text := range []string{"*.example.org", "localhost:5432"} {
		rule, err := egress.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		list.Rules = append(list.Rules, rule)
	}

	target, err := list.Host("Files.Example.org.", 443)
	fmt.Println(target.Name(), err)
	for _, found := range []string{"8.8.8.8", "10.1.2.3"} { // what a look-up may answer
		dial, err := list.Address(target, netip.MustParseAddr(found))
		fmt.Println(dial, err)
	}

	target, _ = list.Host("localhost", 5432)
	fmt.Println(target.Known())

	_, err = list.Host("example.org", 443)
	fmt.Println(err)
	_, err = egress.Parse("https://example.org/")
	fmt.Println(err)
	// Output:
	// files.example.org <nil>
	// 8.8.8.8:443 <nil>
	// invalid AddrPort files.example.org:443 is refused: it leads to 10.1.2.3, a private address; to allow it, add --net 10.1.2.3:443
	// [127.0.0.1 ::1]
	// example.org:443 is refused: it is listed by no rule; to allow it, add --net example.org:443
	// egress: rule "https://example.org/": it is a URL: write example.org:443
}
