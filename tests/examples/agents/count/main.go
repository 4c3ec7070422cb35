// Command count is an agent for "terrarium harness": it counts the lines of
// words.txt.
//
//	terrarium harness --instruction "Write how many lines words.txt has to count.txt." -- ./count
package main

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver/harness/agent"
)

var (
	number  = regexp.MustCompile(`(?m)^ *(\d+)$`)
	written = regexp.MustCompile(`(?m)^written$`)
)

// count decides by what it sees, and by how much is done.
type count struct{ done int }

func (c *count) decide(r agent.Request) (agent.Answer, error) {
	found := number.FindStringSubmatch(r.Screen)
	switch {
	case c.done == 0:
		return c.types("count", "wc -l <words.txt\n"), nil
	case c.done == 1 && found != nil:
		return c.types("write down "+found[1], fmt.Sprintf("echo %s >count.txt && echo written\n", found[1])), nil
	case c.done > 2, c.done == 2 && written.MatchString(r.Screen):
		c.done++
		return agent.Answer{Analysis: "it is written", Complete: true}, nil
	}
	// The machine is busy.
	return agent.Answer{Plan: "look again", Commands: []agent.Command{agent.Type("", time.Second/2)}}, nil
}

func (c *count) types(plan, keys string) agent.Answer {
	c.done++
	return agent.Answer{Plan: plan, Commands: []agent.Command{agent.Type(keys, time.Second/2)}}
}

func main() {
	if err := agent.Serve(os.Stdin, os.Stdout, new(count).decide); err != nil {
		log.Fatal(err)
	}
}
