package worker

import "github.com/terrarium-dev/terrarium/hostwasm"

// LimitCompiler limits this process as one that compiles a module of no size.
func LimitCompiler() { limitCompiler(hostwasm.Limits{}.WithDefaults(), 0) }

// WorkerMemory is what a worker may have besides its commands, in bytes.
const WorkerMemory = workerMemory
