// Package helper lets a program be its own helper process: see Main.
package helper

import (
	"os"

	"github.com/terrarium-dev/terrarium/hostnative/internal/watchdog"
)

// Main makes this program one that hostnative may execute again, as a helper
// that outlives it and kills what its commands have left if it is killed
// itself. The program's main function begins with it:
//
//	func main() {
//		helper.Main()
//		…
//
// In a helper it does not return. What runs before it, such as init functions,
// runs in helpers too.
func Main() {
	if host, ok := os.LookupEnv(watchdog.Env); ok {
		watch(host)
		os.Exit(0)
	}
	watchdog.HasMain.Store(true)
}
