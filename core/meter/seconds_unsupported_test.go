//go:build !unix && !wasip1

package meter_test

import "time"

// seconds is how long f takes.
func seconds(f func()) float64 {
	began := time.Now()
	f()
	return time.Since(began).Seconds()
}
