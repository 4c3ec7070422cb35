// Package cc has cc and its other names, which compile and link C and C++ with the module that
// answers to "llvm": LLVM's programs in one, of which Terrarium's plugin clang is one. clang plans
// what is to be started for a command line, and would start it, which no WASI program can. So it is
// asked for the plan (clang -###), and the plan is carried out here.
package cc

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// drivers are what clang calls itself for each of our names: by that it knows the language.
var drivers = map[string]string{
	"cc": "clang", "gcc": "clang", "clang": "clang",
	"c++": "clang++", "g++": "clang++", "clang++": "clang++",
}

// Commands returns this family's commands, which are of use with a plugin only. They run as
// processes of their own, with standard streams that are files.
func Commands() []tool.Command {
	var all []tool.Command
	for name := range drivers {
		all = append(all, tool.Command{Name: name, Usage: "[OPTION]... FILE...", Like: "clang", Optional: true, Run: run})
	}
	return all
}
