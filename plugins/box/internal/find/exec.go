package find

import (
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/absent"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Execute runs a command with env, which is a [tool.Env.Child] of parent. Where it can't it has
// fail tell why.
func Execute(parent *tool.Env, env tool.Env, args []string, fail func(why string)) int {
	known := parent.Has != nil && parent.Has(args[0]) || len(LookupAll(parent, args[0])) > 0
	switch {
	case parent.Exec != nil && known:
		return parent.Exec(env, args)
	case strings.Contains(args[0], "/") && exists(parent, args[0]):
		fail("Permission denied")
		return 126
	}
	fail("No such file or directory")
	if advice, _ := absent.Advice(args[0]); advice != "" {
		parent.Warn("hint: " + advice)
	}
	return 127
}

func exists(env *tool.Env, name string) bool {
	_, err := env.Stat(name)
	return err == nil
}

// LookupAll returns the files that a command's name may mean, in the order of PATH.
func LookupAll(env *tool.Env, name string) []string {
	if strings.Contains(name, "/") {
		if isProgram(env, name) {
			return []string{name}
		}
		return nil
	}
	var found []string
	for dir := range strings.SplitSeq(env.Getenv("PATH"), ":") {
		if dir == "" {
			dir = "."
		}
		if p := strings.TrimSuffix(dir, "/") + "/" + name; name != "" && isProgram(env, p) {
			found = append(found, p)
		}
	}
	return found
}

func isProgram(env *tool.Env, name string) bool {
	fi, err := os.Stat(env.Path(name))
	return err == nil && fi.Mode().IsRegular() && sys.Executable(fi)
}
