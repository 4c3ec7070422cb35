package fleet

import "errors"

// errLocked is why a state directory, or what is in it, can't be had.
var errLocked = errors.New("a fleet is served from there already, or its tenants are being changed")
