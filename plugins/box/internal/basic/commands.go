// Package basic holds the commands that print, compute or decide something without reading files.
package basic

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const coreutils = "GNU coreutils 9.1"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "[", Like: coreutils, Trouble: 2, Run: bracket},
		{Name: "basename", Usage: "NAME [SUFFIX]", Like: coreutils, Run: basename},
		{Name: "dirname", Usage: "[OPTION] NAME...", Like: coreutils, Run: dirname},
		{Name: "echo", Usage: "[SHORT-OPTION]... [STRING]...", Like: coreutils, Run: echo},
		{Name: "expr", Usage: "EXPRESSION", Like: coreutils, Trouble: 2, Run: expr},
		{Name: "factor", Usage: "[NUMBER]...", Like: coreutils, Run: factor},
		{Name: "false", Usage: "[ignored command line arguments]", Like: coreutils, Run: func(env *tool.Env, args []string) int { return truth(env, args, 1) }},
		{Name: "getopt", Usage: "[options] [--] <optstring> <parameters>", Like: "util-linux 2.38.1", Trouble: 2, Run: getopt},
		{Name: "printf", Usage: "FORMAT [ARGUMENT]...", Like: coreutils, Run: printf},
		{Name: "seq", Usage: "[OPTION]... [FIRST [INCREMENT]] LAST", Like: coreutils, Run: seq},
		{Name: "sleep", Usage: "NUMBER[SUFFIX]...", Like: coreutils, Run: sleep},
		{Name: "test", Usage: "EXPRESSION", Like: coreutils, Trouble: 2, Run: test},
		{Name: "true", Usage: "[ignored command line arguments]", Like: coreutils, Run: func(env *tool.Env, args []string) int { return truth(env, args, 0) }},
		{Name: "watch", Usage: "[options] command", Like: "procps-ng 4.0.2", Run: watch},
		{Name: "yes", Usage: "[STRING]...", Like: coreutils, Run: yes},
	}
}

// truth is true and false.
func truth(env *tool.Env, args []string, status int) int {
	if len(args) == 2 {
		switch args[1] {
		case "--help":
			env.Help()
		case "--version":
			env.Version()
		}
	}
	return status
}
