//go:build !race && !wasip1

package meter_test

const raceDetector = false
