package zones

import (
	"embed"
	"os"
	"strings"
	"sync"
	"time"
)

//go:embed all:dist
var dist embed.FS

// known has the zones of the table that were asked for, by name: unpacking it
// takes milliseconds.
var known sync.Map

func init() {
	if value, ok := os.LookupEnv("TZ"); ok {
		time.Local = Load(strings.TrimPrefix(value, ":"))
	}
}

// named returns a zone of the table.
func named(name string) (*time.Location, error) {
	if loc, ok := known.Load(name); ok {
		return loc.(*time.Location), nil
	}
	table, err := dist.Open("dist/zones.gz")
	if err != nil {
		return nil, errUnknown(name)
	}
	defer table.Close()
	file, err := find(table, name)
	if err != nil {
		return nil, err
	}
	loc, err := time.LoadLocationFromTZData(name, file)
	if err == nil {
		known.Store(name, loc)
	}
	return loc, err
}
