package clock

import (
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Zone returns the time zone that the environment asks for: a name of the system's list, or a POSIX one such as
// JST-9. What is not understood is UTC.
func Zone(env *tool.Env) *time.Location {
	name, ok := env.LookupEnv("TZ")
	if !ok {
		return time.Local
	}
	return namedZone(strings.TrimPrefix(name, ":"))
}

func namedZone(name string) *time.Location {
	if name == "" || name == "UTC" || name == "UTC0" {
		return time.UTC
	}
	if loc, err := time.LoadLocation(name); err == nil && name != "Local" {
		return loc
	}
	i := strings.IndexAny(name, "+-0123456789")
	if i < 3 {
		return time.UTC
	}
	hours, err := strconv.ParseFloat(name[i:], 64)
	if err != nil || hours < -24 || hours > 24 {
		return time.UTC
	}
	return time.FixedZone(name[:i], -int(hours*3600)) // POSIX counts westwards
}
