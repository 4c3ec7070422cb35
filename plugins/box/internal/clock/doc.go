// Package clock reads and writes times as GNU's tools do.
package clock
