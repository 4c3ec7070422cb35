package clock

import (
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/zones"
)

// Zone returns the time zone that the environment asks for: see zones.Load.
func Zone(env *tool.Env) *time.Location {
	value, ok := env.LookupEnv("TZ")
	if !ok {
		return time.Local
	}
	return zones.Load(strings.TrimPrefix(value, ":"))
}
