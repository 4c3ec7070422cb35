//go:build race

package worker

// A program with the race detector sleeps for a second before it ends, unless it
// is told not to, and whoever waits for a worker waits for that.
func init() { workerEnv = append(workerEnv, "GORACE=atexit_sleep_ms=0") }
