package place

import (
	"errors"
	"strings"
)

// fleet is a worker of a fleet. No program connects to it, but package fleet.
var fleet = scheme{
	name: "fleet", form: "URL",
	parse: func(p *Place) error {
		if !strings.Contains(p.target, "://") {
			return errors.New("want fleet:nats://HOST:PORT, or fleet:tls://HOST:PORT")
		}
		return oneWord(p, p.target)
	},
}

// Fleet returns the URL of the fleet's server, if the place is in one.
func (p *Place) Fleet() (url string, ok bool) { return p.target, p.scheme == &fleet }
