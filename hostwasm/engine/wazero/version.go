package wazero

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"golang.org/x/sys/cpu"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// usual is the version of wazero in our go.mod.
const usual = "v1.12.0"

// version is what compiled code depends on: wazero, and what the processor can do.
var version = sync.OnceValue(func() string {
	processor := sha256.Sum256(fmt.Append(nil, cpu.X86, cpu.ARM64))
	return fmt.Sprintf("%s processor %x", engine.LinkedVersion("github.com/tetratelabs/wazero", usual), processor[:6])
})
