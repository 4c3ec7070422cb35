package helper

import (
	"os"

	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
)

func serve() {
	if err := keeper.Serve(); err != nil {
		os.Stderr.WriteString("terrarium helper: " + err.Error() + "\n")
		os.Exit(2)
	}
}
