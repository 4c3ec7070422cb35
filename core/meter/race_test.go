//go:build race && !wasip1

package meter_test

// raceDetector tells tests to leave out what takes a minute with it.
const raceDetector = true
