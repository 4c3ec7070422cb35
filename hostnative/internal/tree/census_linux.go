package tree

import (
	"sync"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A census is a look at every process of the machine, by those who have nothing better to know
// their own by. It takes as long as there are processes, and where a hundred commands end at once
// each of them has to look: so they share it.
type census struct {
	taken  chan struct{} // closed when people is set
	people []person
}

// A person is a process that has a tag, or may have one.
type person struct {
	pid   int
	tag   string
	known bool        // else stat and gone tell why its tag is not
	stat  strays.Stat // while its tag was not known
	gone  bool        // it had ended, and was reaped
}

// censuses are taken one after the other: one could use all processors. mu guards next.
var censuses struct {
	taking sync.Mutex
	mu     sync.Mutex
	next   *census // that has not begun, or nil
}

// takeCensus returns a census that has begun after the call.
func takeCensus() []person {
	c := &censuses
	c.mu.Lock()
	mine := c.next
	begins := mine == nil
	if begins {
		mine = &census{taken: make(chan struct{})}
		c.next = mine
	}
	c.mu.Unlock()
	if !begins {
		<-mine.taken
		return mine.people
	}
	c.taking.Lock() // until the one before has ended, and meanwhile others join
	defer c.taking.Unlock()
	c.mu.Lock()
	c.next = nil
	c.mu.Unlock()
	mine.people = look()
	close(mine.taken)
	return mine.people
}

// look looks at every process.
func look() (people []person) {
	looking <- struct{}{}
	defer func() { <-looking }()
	for _, pid := range strays.Processes() {
		p := person{pid: pid}
		if p.tag, p.known = strays.ReadTag(pid); !p.known {
			var err error
			p.stat, err = strays.ReadStat(pid)
			p.gone = err != nil
		} else if p.tag == "" {
			continue
		}
		people = append(people, p)
	}
	return people
}
