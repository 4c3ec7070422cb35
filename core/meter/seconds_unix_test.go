//go:build unix

package meter_test

import "syscall"

// seconds is how long f keeps the processor busy, so that other programs count
// less.
func seconds(f func()) float64 {
	before := busy()
	f()
	return busy() - before
}

func busy() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
