package place

import (
	"context"
	"fmt"
	"strings"
)

const helpFlag = "--help"

// CheckFlags asks the engine whether those flags that have no value need one: such a flag would
// take the next word for it, which is a flag of a person's or of ours, and an engine does not check
// all values. The error names the flag, and is in one line. It is the cause of ctx if that has
// ended.
//
// Behind a flag that needs no value, --help has the engine print its help. Behind another one that
// word is the value, and a second --help has it print its help.
func (i *Image) CheckFlags(ctx context.Context) error {
	for _, flag := range i.Flags {
		if strings.Contains(flag, "=") {
			continue
		}
		_, err := i.ask(ctx, engineLimit, "run", flag, helpFlag)
		if err == nil {
			continue
		}
		if _, more := i.ask(ctx, engineLimit, "run", flag, helpFlag, helpFlag); more == nil {
			return fmt.Errorf("--engine-flag %s: %s wants a value for it: --engine-flag %s=VALUE, in one word", flag, i.Engine, flag)
		}
		return fmt.Errorf("--engine-flag %s: %w", flag, err) // it is none, or checks its value
	}
	return nil
}
