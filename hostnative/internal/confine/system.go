package confine

import (
	"path/filepath"
	"slices"
	"strings"
)

// systemDirs are what Strict lets be read besides what is handed over: programs,
// libraries and what configures them, and what those ask the kernel for by
// files: Go, glibc and node look for processors, memory and cgroups.
var systemDirs = namesIn(`
	/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /etc /nix /gnu /snap /proc
	/sys/devices/system /sys/fs/cgroup /sys/kernel/mm
	/run/current-system /run/systemd/resolve /run/resolvconf /run/NetworkManager/resolv.conf
	/var/lib/ca-certificates /var/cache/fontconfig /home/linuxbrew/.linuxbrew`)

// toolchains are what Strict lets be read in Home: programs, what they bring, and
// libraries that they have fetched. git does not work when it can't read its own
// configuration.
var toolchains = namesIn(`
	sdk go/bin go/pkg/mod .rustup .cargo/bin .cargo/env .cargo/config.toml .cargo/registry .cargo/git .nvm .volta .fnm .local/share/fnm .n
	.pyenv .rbenv .rvm .asdf .local/share/asdf .local/share/mise .mise .local/bin .local/lib .local/pipx .local/share/pipx
	.local/share/uv .local/share/pnpm .local/share/virtualenvs .virtualenvs .conda miniconda3 miniforge3 mambaforge anaconda3
	.deno/bin .bun/bin .sdkman .jdks .m2/repository .gradle/wrapper .gradle/caches .dotnet .nuget/packages .gem .bundle .ghcup
	.cabal .stack .opam .juliaup .julia .elan .swiftly .zig .npm-global .yarn .corepack .cache/node/corepack
	.gitconfig .config/git .gitignore .gitignore_global .gitattributes`)

// toolchainVars are variables that name such directories.
var toolchainVars = namesIn(`
	GOROOT GOMODCACHE CARGO_HOME RUSTUP_HOME NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR FNM_MULTISHELL_PATH N_PREFIX COREPACK_HOME
	PNPM_HOME BUN_INSTALL PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX MAMBA_ROOT_PREFIX PIPX_HOME PIPX_BIN_DIR POETRY_HOME
	JAVA_HOME JDK_HOME MAVEN_HOME GRADLE_HOME DOTNET_ROOT NUGET_PACKAGES GEM_HOME RBENV_ROOT ASDF_DIR ASDF_DATA_DIR
	MISE_DATA_DIR HOMEBREW_PREFIX SDKMAN_DIR`)

// prefixed are programs that need what is around them: all that is installed with
// them, in the directory above bin.
var prefixed = namesIn("go node python3 java ruby cargo deno bun perl php")

// Toolchains returns the directories of programs that variables name: PATH, GOROOT
// and the like, and where what is in PATH leads to. They are for Rules.Read.
// getenv is os.Getenv, for one.
func Toolchains(getenv func(string) string) []string {
	var dirs []string
	home := filepath.Clean(getenv("HOME"))
	add := func(dir string) {
		dir = filepath.Clean(dir)
		// A PATH with / or a home in it would hand over everything.
		if filepath.IsAbs(dir) && dir != "/" && dir != home && !isBelow(home, dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, name := range toolchainVars {
		add(getenv(name))
	}
	for dir := range strings.SplitSeq(getenv("PATH"), ":") {
		add(dir)
		for _, name := range prefixed {
			program, err := filepath.EvalSymlinks(filepath.Join(dir, name))
			bin := filepath.Dir(program)
			if err != nil || !filepath.IsAbs(dir) || filepath.Base(bin) != "bin" {
				continue
			}
			// ~/.local has the files of all programs.
			if prefix := filepath.Dir(bin); filepath.Base(prefix) != ".local" {
				add(prefix)
			}
		}
	}
	if gopath, _, _ := strings.Cut(getenv("GOPATH"), ":"); gopath != "" {
		add(filepath.Join(gopath, "pkg", "mod"))
	}
	return dirs
}
