package protect

// A watch hears whether anything has happened. There is none here: all is walked through.
type watch struct{}

func newWatch([]*root) *watch                      { return nil }
func (*watch) close()                              {}
func (*watch) cover(*root) (added bool, err error) { return false, nil }
func (*watch) heard() (some bool, err error)       { return true, nil }
