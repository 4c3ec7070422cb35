package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/hostnative"
)

const nativeHelp = `Native commands in a sandbox: terrarium run|serve|harness --sandbox LEVEL

Native commands may do what you may, unless --sandbox says less. It takes Linux:
Landlock and seccomp, no root and no container. "doctor" tells what is in force.
On macOS it is Seatbelt, by sandbox-exec, and untested: each start says so.

  --sandbox off           the default: no sandbox
  --sandbox workspace     commands read what you may, but for secrets: keys and
                          passwords, browsers' profiles, terrarium's own files.
                          They write the session's directories, of run and
                          harness --cwd, and a directory of their own for
                          temporary files and caches
  --sandbox strict        they read only the session's directories, the system's
                          programs, and toolchains
  --write DIR             they write this, too; repeatable
  --sandbox-required      refuse to run with less than "doctor" could tell

In both they connect to nothing, not even on this machine, and signal nobody but
their session. What appears in your home directory later can't be read until a
new session. Modes, owners and times of your files outside can be changed: that
Landlock leaves to their owner. For less than that: --host wasm.
`

// nativeTopic are the flags that nativeHelp explains.
var nativeTopic = []string{"sandbox", "write"}

// sandboxLevels are what --sandbox knows, the default first.
var sandboxLevels = []string{string(hostnative.SandboxOff), string(hostnative.SandboxWorkspace), string(hostnative.SandboxStrict)}

// confineFlags say what native commands are confined to.
type confineFlags struct {
	level string
	write []string
}

func (f *confineFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.level, "sandbox", sandboxLevels[0], "")
	set.StringArrayVar(&f.write, "write", nil, "")
	cmd.RegisterFlagCompletionFunc("sandbox", cobra.FixedCompletions(sandboxLevels, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagDirname("write")
}

// check says what is wrong with the flags.
func (f *confineFlags) check(set *pflag.FlagSet, host string, required bool) error {
	if f.level == "" {
		return nil // a command without these flags
	}
	switch {
	case !slices.Contains(sandboxLevels, f.level):
		return fmt.Errorf("--sandbox %s: no such level: use %s", f.level, strings.Join(sandboxLevels, ", "))
	case host == "wasm" && set.Changed("sandbox"):
		return errors.New("--sandbox needs --host native: with --host wasm there is always one")
	case host == "wasm" && len(f.write) > 0:
		return errors.New("--write needs --host native: use --mount")
	case host != "wasm" && f.level == sandboxLevels[0] && required:
		return errors.New("--sandbox-required needs --sandbox workspace or strict, or --host wasm")
	case f.level == sandboxLevels[0] && len(f.write) > 0:
		return errors.New("--write needs --sandbox workspace or strict")
	}
	for _, dir := range f.write {
		info, err := os.Stat(dir)
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			return fmt.Errorf("--write %s: %w", dir, e.Err)
		}
		if !info.IsDir() {
			return fmt.Errorf("--write %s: not a directory", dir)
		}
	}
	return nil
}

// sandbox returns what commands in root are confined to.
func (f *confineFlags) sandbox(root string, required bool) (hostnative.Sandbox, error) {
	s := hostnative.Sandbox{Level: hostnative.SandboxLevel(f.level), Required: required}
	if f.level == sandboxLevels[0] {
		return s, nil
	}
	s.Own = ownDirs(nil)
	if config, err := os.UserConfigDir(); err == nil {
		s.Own = append(s.Own, filepath.Join(config, "terrarium")) // the person's rules
	}
	root, err := filepath.Abs(root) // of "", the directory that we are in
	if err != nil {
		return s, err
	}
	if root == "/" {
		return s, errors.New("--sandbox: commands would write all of /: name a directory with --cwd")
	}
	s.Roots = []string{root}
	for _, dir := range f.write {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return s, err
		}
		s.Write = append(s.Write, dir)
	}
	return s, nil
}
