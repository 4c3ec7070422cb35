//go:build reactor

package core

// hasScreens is false: a screen would be too much to download with the reactor.
// The compiler leaves out what depends on it.
const hasScreens = false

type display struct{}

func (*output) addScreen(*Command)                        {}
func (*output) isScreen() bool                            { return false }
func (*output) draw([]byte)                               {}
func (*output) resize(rows, cols int)                     {}
func (*output) takeReplies([]byte) []byte                 { return nil }
func (*Registry) reply(*Terminal, []byte)                 {}
func (*Registry) reserveScreen(*Terminal, int, int) error { return nil }
func (*Command) screenBytes(rows, cols int) int64         { return 0 }
