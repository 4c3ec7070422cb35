package cli

import (
	"fmt"
	"io"
)

type Printer struct{ W io.Writer }

func (p Printer) Printf(format string, args ...any) { fmt.Fprintf(p.W, format, args...) }
