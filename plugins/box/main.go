// Box is one program with the name of many: the commands that an agent types, as Debian's answer
// them. It runs the command that it is called by, or "box NAME [ARGUMENT]...". It builds natively
// and for WASI.
package main

import (
	"context"
	"fmt"
	"os"
	"path"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/bash"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func main() {
	// A write to a closed pipe must be an error, not a signal: it ends one command of many.
	ignoreSIGPIPE()
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	ctx, self := process.First(context.Background(), os.Args)
	env := tool.Env{
		Context: ctx,
		Stdin:   os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Dir: dir, Environ: os.Environ(),
	}
	os.Exit(self.Exit(dispatch(bash.Starting(env, run, has), os.Args)))
}

// dispatch runs the command that args[0] names, or the one behind it if args[0] is the box itself.
func dispatch(env tool.Env, args []string) int {
	if len(args) == 0 {
		args = []string{"box"}
	}
	name := path.Base(args[0])
	if c, ok := commands()[name]; ok {
		return tool.Run(c, env, args)
	}
	if len(args) < 2 || args[1] == "--help" {
		fmt.Fprintln(env.Stdout, "Usage: box NAME [ARGUMENT]...\n  or:  box --list")
		return 0
	}
	if args[1] == "--list" {
		for _, name := range names() {
			fmt.Fprintln(env.Stdout, name)
		}
		return 0
	}
	if args = args[1:]; !has(path.Base(args[0])) { // a plugin or a script
		return env.Exec(env, args)
	}
	return run(env, args)
}

// run runs the box's command named args[0], for those who have found that it is meant.
func run(env tool.Env, args []string) int {
	return tool.Run(commands()[path.Base(args[0])], env, args)
}

// has reports whether the box has a command. An optional one is no more here than a plugin's is.
func has(name string) bool {
	c, ok := commands()[name]
	return ok && !c.Optional
}
