package worker

// What a worker gives up, for a process that tries it.
var (
	GiveUpCalls = giveUpCalls
	KeepFiles   = func(dir string) error { return keepFiles([]place{{dir: dir, write: true}}) }
)
