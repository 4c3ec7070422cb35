// Command agent does a task at a terminal: "terrarium harness" runs it.
package main

import (
	"log"
	"os"
)

func main() {
	// Standard output is the wire. What is for people goes to standard error.
	if err := Serve(os.Stdin, os.Stdout, new(Agent).Decide); err != nil {
		log.Fatal(err)
	}
}
