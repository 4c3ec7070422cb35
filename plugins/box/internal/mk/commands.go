// Package mk is make: GNU make 4.3 as far as makefiles of projects and of agents go.
//
// A makefile is read (read.go, rule.go) into variables (variable.go) and files with rules; what is
// to be made is decided by their times (update.go, implicit.go), and each line of a recipe runs in
// the box's own shell (recipe.go). There is one job at a time, whatever -j says. Left out are
// archives' members, VPATH, SCCS and RCS, second expansion, grouped targets, and that makefiles
// remake themselves, other than those to include that are not there.
package mk

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	var all []tool.Command
	for _, name := range []string{"make", "gmake"} {
		all = append(all, tool.Command{Name: name, Usage: "[options] [target] ...", Like: "GNU Make 4.3", Trouble: 2, Run: run})
	}
	return all
}
