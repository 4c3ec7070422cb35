// Package awk is awk as POSIX has it, with what agents use of gawk: gensub, strftime, ** and
// regular expressions as record separators. Messages are those of mawk, which is Debian's awk. Text
// is UTF-8.
//
// A program is parsed into a tree (ast.go, parse.go), names are resolved to places (resolve.go),
// and the tree is evaluated (eval.go, exec.go).
package awk

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	var all []tool.Command
	for _, name := range []string{"awk", "gawk", "mawk"} {
		all = append(all, tool.Command{
			Name: name, Usage: "[-F fs] [-v var=value] [program | -f progfile] [file ...]", Like: "POSIX awk", Trouble: 2, Run: awk,
		})
	}
	return all
}
