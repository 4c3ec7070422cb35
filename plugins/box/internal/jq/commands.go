// Package jq is jq 1.6, with what later ones added where that takes nothing away.
//
// Programs are parsed (parse.go) and run by closures (compile.go) on values that keep the order of
// keys (value.go), as jq's do. What takes programs as arguments is in special.go, what takes values
// in builtin.go, and what is best written in jq in library.go. Numbers are doubles.
//
// A program that would not end, or would need all memory, ends at a limit (machine.go) with a
// message and status 5. There are no modules.
package jq

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{{
		Name: "jq", Usage: "[OPTION]... FILTER [FILE]...\n  or:  jq [OPTION]... --args FILTER [STRING]...\n  or:  jq [OPTION]... --jsonargs FILTER [JSON_TEXT]...",
		Like: "jq 1.6", Trouble: 2, Run: jq,
	}}
}
