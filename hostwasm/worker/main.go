package worker

import (
	"os"
	"sync/atomic"
)

// marker is set in the environment of a worker, and there only.
const marker = "TERRARIUM_WORKER"

// hasMain says that this program's main function begins with Main, so that
// executing this program again makes a worker.
var hasMain atomic.Bool

// Main makes this program one that a Host may execute again, as a worker. The
// program's main function begins with it:
//
//	func main() {
//		worker.Main()
//		…
//
// In a worker it does not return. What runs before it, such as init functions,
// runs in workers too.
func Main() {
	if _, ok := os.LookupEnv(marker); ok {
		os.Exit(work())
	}
	hasMain.Store(true)
}
