package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
)

// MaxMessage bounds in bytes the messages that are made of others.
const MaxMessage = 1 << 20

// ReadFile reads a file that an option names, standard input for "-", up to maxMessage.
func (c *Call) ReadFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(c.Stdin, MaxMessage))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxMessage))
}

// Abbreviate shortens an object's name.
func Abbreviate(h plumbing.Hash) string { return h.String()[:7] }

// Quote writes a path as C would if it has unusual characters: core.quotePath.
func Quote(name string) string {
	if strings.IndexFunc(name, func(c rune) bool { return c < ' ' || c >= 0x7f || c == '"' || c == '\\' }) < 0 {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		c := name[i]
		if at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
			continue
		}
		if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "\\%03o", c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}

func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
