package find

import "fmt"

// A complaint is an error in find's own words, whose capitals and full stops are its own too.
type complaint string

func (c complaint) Error() string { return string(c) }

func complain(format string, a ...any) error { return complaint(fmt.Sprintf(format, a...)) }
