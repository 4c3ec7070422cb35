// Package helper lets a program be its own helper process: see Main.
package helper

import (
	"os"

	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
)

// Main makes this program one that hostnative may execute again, as a keeper: a
// process that starts commands for it, ends them whatever they have started, and
// outlives it to kill what they have left if it is killed itself. The program's
// main function begins with it:
//
//	func main() {
//		helper.Main()
//		…
//
// In a keeper it does not return. What runs before it, such as init functions,
// runs in keepers too.
func Main() {
	if keeper.Asked() {
		serve()
		os.Exit(0)
	}
	keeper.HasMain.Store(true)
}
