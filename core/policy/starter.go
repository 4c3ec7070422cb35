package policy

import _ "embed"

// Starter is a policy file to start from. It allows what reads, asks about the rest, and denies
// next to nothing. It is meant to be copied and changed.
//
//go:embed starter.toml
var Starter []byte
