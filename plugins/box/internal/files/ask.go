package files

import (
	"bufio"
	"fmt"
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An asker asks yes-or-no questions on standard error and reads the answers from standard input.
type asker struct {
	env *tool.Env
	in  *bufio.Reader
}

// yes asks and reports whether the answer begins with y or Y. The end of input is a no.
func (a *asker) yes(format string, args ...any) bool {
	a.env.Out.Flush()
	io.WriteString(a.env.Stderr, a.env.Name+": "+fmt.Sprintf(format, args...))
	if a.in == nil {
		a.in = bufio.NewReader(a.env.Stdin)
	}
	line, _ := a.in.ReadString('\n')
	return line != "" && line[0]|0x20 == 'y'
}
