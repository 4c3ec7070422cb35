// Package bc is bc as GNU bc 1.07.1 has it: numbers of any length, with the places after the point
// that scale asks for.
//
// A program is parsed a line at a time (lex.go, parse.go) into a tree that is evaluated (eval.go,
// exec.go) on decimal numbers (number.go). The functions of -l are computed with some places more
// and cut off (library.go).
package bc

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{{Name: "bc", Usage: "[options] [file ...]", Like: "GNU bc 1.07.1", Run: run}}
}
