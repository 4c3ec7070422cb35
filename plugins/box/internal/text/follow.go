package text

import (
	"io"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// followEvery is how often "tail -f" looks for more. There is no inotify in WASI.
const followEvery = 250 * time.Millisecond

// follow shows what is added to the files until the command is stopped.
func follow(env *tool.Env, files []io.ReadCloser) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for !env.Stopped() {
		for _, f := range files {
			copyAll(env, f)
		}
		env.Out.Flush()
		select {
		case <-tick.C:
		case <-env.Context.Done():
		}
	}
	for _, f := range files {
		f.Close()
	}
}
