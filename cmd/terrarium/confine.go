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

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const nativeHelp = `Native commands in a sandbox: terrarium run|serve|mcp|harness --sandbox LEVEL

Native commands may do what you may, unless --sandbox says less. That takes no
root: Landlock and seccomp on Linux; Seatbelt, untested, on macOS. See "doctor".

  --sandbox workspace  commands read what you may, but for secrets: keys,
                       passwords, browsers' profiles. They write the session's
                       directories, of run --cwd, and one for temporary files
  --sandbox strict     they read only the session's directories, the system's
                       programs, and toolchains
  --write DIR          they write this, too; repeatable
  --net HOST[:PORT]    they connect to this, and can send it what they read:
                       example.org, *.example.org:8080, 10.0.0.0/8:5432,
                       localhost:5432; default ports 80 and 443; repeatable.
                       Names go by a proxy (HTTP_PROXY); --host wasm: only HTTP
  --socket PATH        and to this unix socket, as of an ssh agent; repeatable
  --sandbox-required   refuse to run with less than "doctor" could tell

Git's hooks, editors' settings and the like are put back when a command has
ended: a repair, not a wall. The output ends with that, and refused connections.
They signal nobody but their session. What appears in your home folder later
can't be read until a new session. Modes, owners and times of your files outside
can be changed. For less: --host wasm. Default: --sandbox off.
`

// nativeTopic are the flags that nativeHelp explains.
var nativeTopic = []string{"sandbox", "write", "net", "socket"}

// sandboxLevels are what --sandbox knows, the default first.
var sandboxLevels = []string{string(hostnative.SandboxOff), string(hostnative.SandboxWorkspace), string(hostnative.SandboxStrict)}

// confineFlags say what native commands are confined to.
type confineFlags struct {
	level   string
	write   []string
	net     []string
	sockets []string
}

func (f *confineFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.level, "sandbox", sandboxLevels[0], "")
	set.Var((*repeated)(&f.write), "write", "")
	set.Var((*repeated)(&f.net), "net", "")
	set.Var((*repeated)(&f.sockets), "socket", "")
	cmd.RegisterFlagCompletionFunc("sandbox", cobra.FixedCompletions(sandboxLevels, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagDirname("write")
	cmd.MarkFlagFilename("socket")
	cmd.RegisterFlagCompletionFunc("net", cobra.NoFileCompletions)
}

// confines reports whether native commands are in a sandbox.
func (f *confineFlags) confines() bool { return f.level != "" && f.level != sandboxLevels[0] }

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
	case host == "wasm" && len(f.sockets) > 0:
		return errors.New("--socket needs --host native: with --host wasm commands fetch by HTTP, from what --net names")
	case host != "wasm" && f.level == sandboxLevels[0] && required:
		return errors.New("--sandbox-required needs --sandbox workspace or strict, or --host wasm")
	}
	for name, values := range map[string][]string{"write": f.write, "net": f.net, "socket": f.sockets} {
		if len(values) > 0 && f.level == sandboxLevels[0] && host != "wasm" {
			return fmt.Errorf("--%s needs --sandbox workspace or strict", name)
		}
	}
	_, err := f.rules()
	return err
}

// checkWrite says which directories of --write are none.
func (f *confineFlags) checkWrite() error {
	for _, dir := range f.write {
		info, err := os.Stat(dir)
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			return fmt.Errorf("--write %s: %w", dir, e.Err)
		}
		if !info.IsDir() {
			return fmt.Errorf("--write %s: not a directory", dir)
		}
		if isRoot(dir) {
			return fmt.Errorf("--write %s: commands would write all of /, which is no sandbox: name directories, or use --sandbox off", dir)
		}
	}
	return nil
}

// isRoot reports whether a directory is the root directory, whatever it is called.
func isRoot(dir string) bool {
	info, err := os.Stat(dir)
	root, errRoot := os.Stat("/")
	return err == nil && errRoot == nil && os.SameFile(info, root)
}

// instructions tell a model what commands in cwd may not do, and what then: else it tries again and
// again. They are empty without a sandbox.
func (f *confineFlags) instructions(cwd string) string {
	if !f.confines() {
		return ""
	}
	network := "connect to nothing"
	if listed := slices.Concat(f.net, f.sockets); len(listed) > 0 {
		network = "connect to " + strings.Join(listed, ", ") + " only"
	}
	return fmt.Sprintf("Commands run in a sandbox (%s): they write below %s and in $TMPDIR only, and %s. "+
		"Where a command fails because of that, as with \"Permission denied\", don't try it in another way: write to one of these directories, "+
		"or tell the user what is needed, who can start this server with --write DIR or --net HOST.",
		f.level, strings.Join(append([]string{cwd}, f.write...), ", "), network)
}

// daemonSockets are called so by daemons that run containers.
var daemonSockets = strings.Fields("docker.sock podman.sock containerd.sock crio.sock buildkitd.sock k3s.sock incus.socket unix.socket libvirt-sock")

// rules are what --net lists.
func (f *confineFlags) rules() (rules []egress.Rule, err error) {
	for _, text := range f.net {
		rule, err := egress.Parse(text)
		if err != nil {
			return nil, errors.New("--net " + strings.TrimPrefix(err.Error(), "egress: rule "))
		}
		rules = append(rules, rule)
	}
	return rules, nil
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
	for _, path := range f.sockets {
		if path, err = filepath.Abs(path); err != nil {
			return s, err
		}
		if slices.Contains(daemonSockets, filepath.Base(path)) {
			warn(os.Stderr, errors.New("--socket "+path+": who can talk to a container daemon is root on this machine, without a sandbox"))
		}
		s.Sockets = append(s.Sockets, path)
	}
	s.OpenProxy = openProxy() // also where one command alone may be granted a name
	s.Net, err = f.rules()
	return s, err
}

// tellHome says that little can be made in a directory that has the person's home: what is secret
// there may not be there yet, so nothing new is.
func (f *confineFlags) tellHome(roots []string) {
	for _, root := range roots {
		if hasHome(root) {
			warn(os.Stderr, fmt.Errorf("--sandbox %s: %s has your home directory in it, so commands add nothing to it, "+
				"nor to directories in which secrets of yours may be: name your project with --cwd", f.level, root))
		}
	}
}

// hasHome reports whether the person's home is dir, or below it.
func hasHome(dir string) bool {
	here, err := os.Stat(dir)
	if err != nil {
		return false
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/"
	}
	real, err := filepath.EvalSymlinks(home) // what is above it may be elsewhere
	return isOnWay(here, home) || err == nil && isOnWay(here, real)
}

// isOnWay reports whether a directory is name, or one that name goes through.
func isOnWay(dir fs.FileInfo, name string) bool {
	for up := filepath.Clean(name); ; up = filepath.Dir(up) {
		if at, err := os.Stat(up); err == nil && os.SameFile(at, dir) {
			return true
		}
		if up == filepath.Dir(up) {
			return false
		}
	}
}
