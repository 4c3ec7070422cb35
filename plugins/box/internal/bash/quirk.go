package bash

import (
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// withInput returns the arguments for a plugin. One that can't tell a pipe from a terminal, as
// there is no way to under WASI, searches the tree where it should read what it is given: "-" says
// that it should.
func withInput(env tool.Env, name string, args []string) []string {
	if name != "rg" || env.Stdin == nil || env.Stdin == os.Stdin || !rgNeedsFile(args[1:]) {
		return args
	}
	return append(args[:len(args):len(args)], "-")
}

// rgTakesValue are ripgrep's options whose value may be the next argument.
const rgTakesValue = " -A -B -C -E -M -T -d -g -j -m -r -t --after-context --before-context --color --colors --context --context-separator " +
	"--dfa-size-limit --encoding --engine --field-context-separator --field-match-separator --generate --glob " +
	"--hostname-bin --hyperlink-format --iglob --ignore-file --max-columns --max-count --max-depth --max-filesize " +
	"--path-separator --pre --pre-glob --regex-size-limit --replace --sort --sortr --threads --type --type-add " +
	"--type-clear --type-not "

// rgNeedsFile reports whether ripgrep would search, and no argument says where.
func rgNeedsFile(args []string) bool {
	operands, pattern := 0, false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			operands += len(args) - i - 1
			i = len(args)
		case arg == "-" || arg == "" || arg[0] != '-':
			operands++
		case arg == "--files" || arg == "--type-list" || arg == "--help" || arg == "-h" || arg == "--version" || arg == "-V":
			return false
		case arg == "-e" || arg == "-f" || arg == "--regexp" || arg == "--file":
			pattern = true
			i++
		case strings.HasPrefix(arg, "--regexp="), strings.HasPrefix(arg, "--file="),
			strings.HasPrefix(arg, "-e"), strings.HasPrefix(arg, "-f"):
			pattern = true
		case takesValue(arg):
			i++
		case arg[1] != '-' && takesValue("-"+arg[len(arg)-1:]): // -nA 3, and not -nA3
			i++
		case arg[1] != '-' && strings.HasSuffix(arg, "e"): // -ne PATTERN
			pattern = true
			i++
		}
	}
	if !pattern {
		operands--
	}
	return operands == 0
}

func takesValue(option string) bool { return strings.Contains(rgTakesValue, " "+option+" ") }
