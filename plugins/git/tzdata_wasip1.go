package main

import (
	"os"
	"strings"
	"time"
	_ "time/tzdata" // the sandbox has no /usr/share/zoneinfo
)

// Go takes the sandbox's own time for UTC, whatever TZ says.
func init() {
	name, ok := os.LookupEnv("TZ")
	if !ok {
		return
	}
	if loc, err := time.LoadLocation(strings.TrimPrefix(name, ":")); err == nil {
		time.Local = loc
	}
}
