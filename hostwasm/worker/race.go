//go:build race

package worker

// A program with the race detector sleeps for a second before it ends, unless it
// is told not to, and whoever waits for a worker waits for that. Nobody reads what a
// worker says: a race ends it, which its host notices.
func init() { workerEnv = append(workerEnv, "GORACE=atexit_sleep_ms=0 halt_on_error=1") }
