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

var number = regexp.MustCompile(`(?m)^ *(\d+)$`)

func decide(r agent.Request) (agent.Answer, error) {
	if r.Step == 1 {
		return agent.Answer{Plan: "count", Commands: []agent.Command{agent.Type("wc -l <words.txt\n", time.Second/2)}}, nil
	}
	if r.Step > 2 {
		return agent.Answer{Analysis: "it is written", Complete: true}, nil
	}
	found := number.FindStringSubmatch(r.Screen)
	if found == nil {
		return agent.Answer{}, fmt.Errorf("there is no number in %q", r.Screen)
	}
	write := fmt.Sprintf("echo %s >count.txt; cat count.txt\n", found[1])
	return agent.Answer{Analysis: found[1] + " lines", Commands: []agent.Command{agent.Type(write, time.Second/2)}}, nil
}

func main() {
	if err := agent.Serve(os.Stdin, os.Stdout, decide); err != nil {
		log.Fatal(err)
	}
}
