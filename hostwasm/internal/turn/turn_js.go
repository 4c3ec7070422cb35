package turn

import "time"

// slice is how long we run until it is somebody else's turn: as long as a guest
// does (sliceMs of web/src/guests.ts).
const slice = 8 * time.Millisecond

// began is when we had our turn last.
var began time.Time

// Give lets others run if we have run for some time. It is for what works through
// megabytes, and must not be called where an export of Go's is under way.
func Give() {
	if time.Since(began) < slice {
		return
	}
	time.Sleep(1) // Go is idle until the browser's timer comes
	began = time.Now()
}
