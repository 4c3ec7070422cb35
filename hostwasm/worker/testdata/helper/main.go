// Command helper is a worker and nothing else.
package main

import "github.com/terrarium-dev/terrarium/hostwasm/worker"

func main() { worker.Main() }
