package plugins

import (
	"runtime/debug"
	"testing"
)

// GoVersion is goVersion.
const GoVersion = goVersion

// WithBuildInfo has the program be one that was built so.
func WithBuildInfo(t *testing.T, info *debug.BuildInfo) {
	was := readBuildInfo
	t.Cleanup(func() { readBuildInfo = was })
	readBuildInfo = func() (*debug.BuildInfo, bool) { return info, info != nil }
}
