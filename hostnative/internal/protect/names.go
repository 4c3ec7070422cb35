package protect

import (
	"maps"
	"path"
	"strings"
)

// A kind says how a protected file is judged.
type kind int

const (
	settings   kind = iota // one that stays, if it comes with a new directory
	hook                   // one that never comes new
	gitConfig              // compared by meaning
	gitFile                // .git, in place of a directory
	commonFile             // commondir of a git directory
)

// A role says what in a directory is protected.
type role struct {
	name  string
	files map[string]kind
	dirs  map[string]*role
	// every is what every other file is, if all is set, and below what every other directory is.
	all   bool
	every kind
	below *role
	// git: it belongs to a git directory, so it is looked at wherever it is.
	git bool
	// ends are endings of names: ".code-workspace".
	ends []string
}

// files returns a role of files that are protected, by name.
func only(names string, dirs map[string]*role) *role {
	r := &role{name: names, files: map[string]kind{}, dirs: dirs}
	for name := range strings.FieldsSeq(names) {
		r.files[name] = settings
	}
	return r
}

// tree returns a role of directories in which all files are protected.
func tree(k kind, git bool) *role {
	r := &role{name: "tree", all: true, every: k, git: git}
	r.below = r
	return r
}

var (
	settingsTree = tree(settings, false)
	hooks        = tree(hook, true)
	gitInfo      = &role{name: "info", files: map[string]kind{"attributes": hook}, git: true}

	// gitDir is a git directory: that of a repository, a submodule or a worktree.
	gitDir = &role{
		name:  "git",
		files: map[string]kind{"config": gitConfig, "config.worktree": gitConfig, "commondir": commonFile},
		dirs:  map[string]*role{"hooks": hooks, "info": gitInfo},
		git:   true,
	}
	// gitDirs has git directories at some depth: a submodule's name may have slashes.
	gitDirs = &role{name: "git directories", git: true}

	// plain is any directory of the workspace. Of npm's configuration, script-shell and
	// node-options say what runs with each script.
	plain = only(`
		.envrc .npmrc .exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .dir-locals.el .dir-locals-2.el
		.gdbinit .lldbinit .devcontainer.json .mise.toml .mise.local.toml mise.toml mise.local.toml
		.mcp.json .aider.conf.yml opencode.json opencode.jsonc`, map[string]*role{
		".vscode":       only("settings.json tasks.json launch.json mcp.json", nil),
		".idea":         only("startup.xml watcherTasks.xml", map[string]*role{"runConfigurations": settingsTree, "tools": settingsTree}),
		".run":          settingsTree,
		".zed":          only("settings.json tasks.json debug.json", nil),
		".fleet":        only("settings.json run.json", nil),
		".devcontainer": settingsTree,
		".mise":         only("config.toml config.local.toml", nil),
		".claude": only("settings.json settings.local.json", map[string]*role{
			"hooks": settingsTree, "commands": settingsTree, "agents": settingsTree,
		}),
		".cursor":   only("mcp.json hooks.json environment.json cli.json", map[string]*role{"hooks": settingsTree}),
		".codex":    only("config.toml hooks.json", nil),
		".gemini":   only("settings.json", map[string]*role{"hooks": settingsTree, "commands": settingsTree}),
		".qwen":     only("settings.json", nil),
		".kiro":     only("", map[string]*role{"settings": settingsTree, "hooks": settingsTree}),
		".roo":      only("mcp.json", nil),
		".amp":      only("settings.json", nil),
		".opencode": only("opencode.json opencode.jsonc", map[string]*role{"plugin": settingsTree, "plugins": settingsTree, "tool": settingsTree}),
		".continue": only("config.json config.yaml config.ts", map[string]*role{"mcpServers": settingsTree}),
		".husky":    settingsTree,
		// Mercurial runs hooks and aliases of a repository's hgrc.
		".hg": only("hgrc hgrc-not-shared", nil),
		// The rules for the commands of a project.
		".terrarium": settingsTree,
	})

	// home is a person's home directory.
	home = only(`
		.profile .bash_profile .bash_login .bash_logout .bashrc .bash_aliases .inputrc
		.zshenv .zprofile .zshrc .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout
		.xprofile .xinitrc .xsession .xsessionrc .pam_environment .tmux.conf .screenrc .emacs .emacs.el
		.pythonrc .irbrc .pryrc .direnvrc`, map[string]*role{
		".config": only("starship.toml", map[string]*role{
			"fish": only("config.fish", map[string]*role{"conf.d": settingsTree, "functions": settingsTree}),
			"git":  {name: "home git", files: map[string]kind{"config": gitConfig, "attributes": settings}},
			"bash": settingsTree, "zsh": settingsTree, "nushell": settingsTree, "direnv": settingsTree, "mise": settingsTree,
			"autostart": settingsTree, "environment.d": settingsTree, "systemd": settingsTree, "tmux": settingsTree,
			"nvim": only("init.lua init.vim", nil), "emacs": only("init.el early-init.el", nil),
			"Code": only("", map[string]*role{"User": only("settings.json tasks.json keybindings.json mcp.json", nil)}),
			"zed":  only("settings.json tasks.json keymap.json", nil), "terrarium": settingsTree,
		}),
		".ssh":     only("config rc environment authorized_keys", nil),
		".vim":     only("vimrc", nil),
		".emacs.d": only("init.el early-init.el", nil),
		".cargo":   only("config config.toml env", nil),
		".oh-my-zsh": only("", map[string]*role{
			"custom": settingsTree,
		}),
		"Library": only("", map[string]*role{"LaunchAgents": settingsTree}),
	})
)

func init() {
	gitDir.dirs["modules"], gitDir.dirs["worktrees"] = gitDirs, gitDirs
	gitDirs.below = gitDirs
	plain.name, plain.below, plain.ends = "plain", plain, []string{".code-workspace"}
	plain.files[".git"], plain.dirs[".git"] = gitFile, gitDir
	// A home is a directory like others, and has more.
	home.name, home.below, home.ends = "home", plain, plain.ends
	home.files[".gitconfig"] = gitConfig
	for name, k := range plain.files {
		home.files[name] = k
	}
	for name, r := range plain.dirs {
		home.dirs[name] = r
	}
	// What runs there for one project runs for all.
	config := home.dirs[".config"]
	config.below = plain
}

// agentDirs are the roles of roots that are called as a directory of settings is: an agent's
// ~/.claude, say, when it is handed over itself. Each is a directory like others, too.
var agentDirs = map[string]*role{}

func init() {
	for name, r := range plain.dirs {
		if r.git || r.all {
			continue
		}
		both := &role{name: "root " + name, files: maps.Clone(plain.files), dirs: maps.Clone(plain.dirs), below: plain, ends: plain.ends}
		maps.Copy(both.files, r.files)
		maps.Copy(both.dirs, r.dirs)
		agentDirs[name] = both
	}
}

// rootRole returns the role of a root that is no home.
func rootRole(root string) *role {
	if r := agentDirs[path.Base(root)]; r != nil {
		return r
	}
	return plain
}

// bare is a directory that git takes for a repository, wherever it is.
var bare = &role{name: "bare"}

func init() {
	bare.below, bare.ends = plain, plain.ends
	bare.files, bare.dirs = maps.Clone(plain.files), maps.Clone(plain.dirs)
	maps.Copy(bare.files, gitDir.files)
	maps.Copy(bare.dirs, gitDir.dirs)
	bare.dirs["objects"], bare.dirs["refs"] = nil, nil
}

// bulky directories have much in them and are made by tools: they are looked at after all others.
var bulky = wordSet(`vendor target dist build out bazel-bin bazel-out .direnv`)

// skipped directories have packages and caches in them that tools fetch and make, and that run as
// what they are anyway. They are looked at only where configuration or a link leads into them.
var skipped = wordSet(`node_modules bower_components .venv venv .tox .cache __pycache__ .mypy_cache .ruff_cache .pytest_cache
	.gradle .terraform Pods .yarn .pnpm-store .next .nuxt .svelte-kit`)

// file says how a file of this name is protected, if it is.
func (r *role) file(name string) (kind, bool) {
	if k, ok := r.files[name]; ok {
		return k, true
	}
	for _, end := range r.ends {
		if strings.HasSuffix(name, end) {
			return settings, true
		}
	}
	// git does not run its examples.
	if r.all && !(r.git && strings.HasSuffix(name, ".sample")) {
		return r.every, true
	}
	return 0, false
}

// dir returns the role of a directory of this name, or nil.
func (r *role) dir(name string) *role {
	if d, ok := r.dirs[name]; ok {
		return d
	}
	return r.below
}

// looksGit reports whether a directory that has these names is one that git takes for a git
// directory. Git does so anywhere, also without a .git around.
func looksGit(has func(string) bool) bool {
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}
