package index

import (
	_ "embed"
	"sync"
)

//go:embed index.toml
var own []byte

// Own returns the index that comes with this program. A test proves that it has
// no error.
var Own = sync.OnceValues(func() (*Index, error) { return Parse("index.toml", own, "") })
