package policy

import (
	"path"
	"slices"
	"strings"
)

// ChangesPrograms reports whether a variable changes what programs do that a line only names: which
// code they load or start, which configuration they read, whom they trust. Values that are known to
// do no harm do not count, as PAGER=cat. It is a list of what is known: a program that isn't
// known may read any variable.
//
// Rules don't ask it: to them each variable counts that is not known to do no harm. It is for who
// judges variables that come beside a line.
func ChangesPrograms(name, value string) bool {
	if (assign{Name: name, Value: value}).harmless() {
		return false
	}
	if tame, ok := tameValues[name]; ok {
		return !tame(value)
	}
	if value == "" {
		return false
	}
	if slices.Contains(meddlers, name) {
		return true
	}
	for _, f := range meddlingFamilies {
		if rest, ok := strings.CutPrefix(name, f.prefix); ok {
			return !slices.Contains(f.but, strings.ToUpper(strings.ReplaceAll(rest, "-", "_"))) && !slices.Contains(f.tame, value)
		}
	}
	return false
}

// Permits reports whether rules allow all commands of v and name this variable in their env_assign,
// alone or with this value. Rules whose env_assign is "any" name none.
func (v *Verdict) Permits(name, value string) bool {
	some := false
	for i := range v.Commands {
		c := &v.Commands[i]
		if c.transparent && c.Rule == nil {
			continue // what it starts has the same variables
		}
		if c.Decision != Allow || c.Rule == nil || !c.Rule.takes(assign{Name: name, Value: value}) {
			return false
		}
		some = true
	}
	return some
}

// meddlers are variables that change what programs do, unless they are empty.
var meddlers = []string{
	// The loader, the C library, and libraries that load others.
	"GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "MALLOC_TRACE", "HOSTALIASES", "RESOLV_HOST_CONF", "OPENSSL_CONF",
	"OPENSSL_MODULES", "OPENSSL_ENGINES", "GTK_MODULES", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "QT_PLUGIN_PATH",
	// Where programs find their configuration.
	"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "ZDOTDIR", "CURL_HOME", "WGETRC", "SYSTEM_WGETRC", "RIPGREP_CONFIG_PATH", "APT_CONFIG",
	"KUBECONFIG", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "CLOUDSDK_CONFIG", "CLOUDSDK_PYTHON", "ANSIBLE_CONFIG", "DOCKER_CONFIG",
	"DOCKER_HOST", "GNUPGHOME",
	// Shells.
	"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "GLOBIGNORE", "EXECIGNORE", "PROMPT_COMMAND", "BASH_LOADABLES_PATH", "INPUTRC",
	"FPATH",
	// Programs that others start to show and edit text, and to ask for passwords.
	"EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GH_EDITOR", "KUBE_EDITOR", "SUDO_EDITOR", "SYSTEMD_EDITOR", "HGEDITOR",
	"SVN_EDITOR", "FCEDIT", "LESSOPEN", "LESSCLOSE", "LESSEDIT", "MANOPT", "VIMINIT", "GVIMINIT", "EXINIT", "VIM", "VIMRUNTIME", "MYVIMRC",
	"NVIM_APPNAME", "EMACSLOADPATH", "SSH_ASKPASS", "GIT_ASKPASS", "SUDO_ASKPASS", "SSH_SK_PROVIDER", "SSH_SK_HELPER", "SSH_PKCS11_HELPER",
	// git, besides its families below.
	"GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_DIR", "GIT_COMMON_DIR",
	// Whom programs trust, and through whom they talk.
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "http_proxy", "https_proxy", "all_proxy",
	"ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
	// Options that name code.
	"FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "FZF_DEFAULT_OPTS_FILE", "TAR_OPTIONS", "ZIPOPT", "RSYNC_CONNECT_PROG", "PSModulePath",
	// JavaScript.
	"NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "NODE_REPL_HISTORY", "NODE_V8_COVERAGE", "BUN_OPTIONS", "BUN_INSPECT_PRELOAD", "YARN_YARN_PATH",
	"YARN_PLUGINS", "YARN_RC_FILENAME", "YARN_NPM_REGISTRY_SERVER", "COREPACK_NPM_REGISTRY",
	// Python.
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONINSPECT", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX",
	"PYTHONEXECUTABLE", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "COVERAGE_PROCESS_START", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL",
	"PIP_FIND_LINKS", "PIP_TRUSTED_HOST", "PIP_CERT", "PIP_PYTHON", "PIP_PREFIX", "PIP_TARGET", "PIP_ROOT", "UV_CONFIG_FILE", "UV_INDEX",
	"UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_FIND_LINKS", "UV_PYTHON", "UV_INSECURE_HOST",
	// Other languages.
	"PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "PERL5SHELL", "RUBYOPT", "RUBYLIB", "RUBYSHELL", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE",
	"BUNDLE_APP_CONFIG", "BUNDLE_USER_CONFIG", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER",
	"R_LIBS", "R_LIBS_USER", "JULIA_LOAD_PATH", "JULIA_DEPOT_PATH", "GUILE_LOAD_PATH", "ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ERL_LIBS",
	"ELIXIR_ERL_OPTIONS", "JAVA_HOME", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "CLASSPATH", "MAVEN_OPTS",
	"MAVEN_ARGS", "GRADLE_OPTS", "GRADLE_USER_HOME", "DOTNET_STARTUP_HOOKS", "DOTNET_ROOT", "MSBUILDSDKSPATH",
	// Compilers and builds.
	"GOROOT", "GOTOOLDIR", "GOVCS", "GONOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GOPRIVATE", "GCCGO", "RUSTC", "RUSTDOC", "RUSTC_WRAPPER",
	"RUSTC_WORKSPACE_WRAPPER", "RUSTUP_HOME", "RUSTUP_DIST_SERVER", "RUSTUP_UPDATE_ROOT", "CARGO", "CPP", "AR", "AS", "LD", "FC", "CFLAGS",
	"CXXFLAGS", "CPPFLAGS", "LDFLAGS", "GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
	"PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "MAKEFILES", "CCACHE_PREFIX", "CCACHE_PREFIX_CPP", "CCACHE_COMPILER", "CCACHE_PATH",
	"CCACHE_CONFIGPATH",
}

// tameValues are variables that change what programs do with any value but those that pass.
var tameValues = map[string]func(value string) bool{
	// People understand PATH, and rules find names in it: so it is only where it leads to wherever
	// a command happens to run that it counts.
	"PATH": absolutePaths,
	"HOME": is(), "IFS": is(" \t\n"), "PS0": plainPrompt, "PS1": plainPrompt, "PS2": plainPrompt, "PS4": plainPrompt,
	"SHELL":    is("", "/bin/sh", "/bin/bash", "/usr/bin/bash", "/bin/zsh", "/usr/bin/zsh"),
	"HISTFILE": is("", "/dev/null"),

	"PAGER": pager, "GIT_PAGER": pager, "GH_PAGER": pager, "MANPAGER": pager, "SYSTEMD_PAGER": pager, "AWS_PAGER": pager,
	"BAT_PAGER": pager, "DELTA_PAGER": pager, "PSQL_PAGER": pager,
	"LESS":    is("", "R", "-R", "F", "-F", "-FX", "FRX", "-FRX", "-FRXE"),
	"BROWSER": is("", "true", "none", "echo", "cat"), "GH_BROWSER": is("", "true", "echo", "cat"),

	"GIT_SSH_COMMAND":    is("", "ssh", "ssh -o BatchMode=yes", "ssh -oBatchMode=yes"),
	"GIT_ALLOW_PROTOCOL": is("", "https", "https:ssh", "file:https:ssh", "none"), "GIT_PROTOCOL_FROM_USER": is("", "0"),
	"GIT_CONFIG_GLOBAL": is("", "/dev/null"), "GIT_CONFIG_SYSTEM": is("", "/dev/null"),
	"RSYNC_RSH": is("", "ssh"), "CVS_RSH": is("", "ssh"), "SVN_SSH": is("", "ssh"), "HGRCPATH": is("", "/dev/null"),

	"NODE_OPTIONS": nodeOptions, "NODE_TLS_REJECT_UNAUTHORIZED": is("", "1"), "PYTHONHTTPSVERIFY": is("", "1"),
	"PYTHONBREAKPOINT": is("", "0"), "PYTHONWARNINGS": is("", "ignore", "default", "error", "always", "once", "module"),
	"PIP_CONFIG_FILE": is("", "/dev/null"),

	"GOFLAGS": goFlags, "GOENV": is("", "off"), "GOTOOLCHAIN": noPath, "GOAUTH": is("", "off", "netrc"), "GOSUMDB": is("", "sum.golang.org"),
	"GOPROXY":   is("", "off", "direct", "https://proxy.golang.org", "https://proxy.golang.org,direct"),
	"RUSTFLAGS": is("", "-D warnings", "-Dwarnings"), "RUSTDOCFLAGS": is("", "-D warnings", "-Dwarnings"), "RUSTUP_TOOLCHAIN": noPath,
	"CC": compiler, "CXX": compiler, "MAKEFLAGS": jobs, "GNUMAKEFLAGS": jobs, "MFLAGS": jobs,
}

// meddlingFamilies are those whose names begin alike. Those that go on with one of but, in any case
// of letters, do no harm, and nor does a value of tame.
var meddlingFamilies = []struct {
	prefix string
	but    []string
	tame   []string
}{
	{prefix: "LD_"}, {prefix: "DYLD_"}, {prefix: "BASH_FUNC_"},
	{prefix: "GIT_CONFIG", but: []string{"_NOSYSTEM"}},
	{prefix: "GIT_TRACE", tame: []string{"0", "1", "2", "true", "false"}}, // others: files to write
	{prefix: "GIT_SSL_"},
	{prefix: "npm_config_", but: npmNames}, {prefix: "NPM_CONFIG_", but: npmNames}, {prefix: "pnpm_config_", but: npmNames},
	{prefix: "CARGO_", but: []string{"INCREMENTAL", "NET_OFFLINE", "NET_RETRY", "BUILD_JOBS", "TERM_COLOR", "TERM_VERBOSE", "TERM_QUIET",
		"TERM_PROGRESS_WHEN", "TARGET_DIR", "BUILD_TARGET", "PROFILE_DEV_DEBUG", "PROFILE_RELEASE_DEBUG", "PROFILE_TEST_DEBUG"}},
	{prefix: "CGO_"},
	{prefix: "CMAKE_", but: []string{"BUILD_PARALLEL_LEVEL", "BUILD_TYPE", "COLOR_DIAGNOSTICS", "EXPORT_COMPILE_COMMANDS"}},
	{prefix: "LESSKEY"}, {prefix: "LUA_"}, {prefix: "TF_CLI_"}, {prefix: "CORECLR_PROFILER"}, {prefix: "COR_PROFILER"},
}

var npmNames = []string{"LOGLEVEL", "COLOR", "PROGRESS", "FUND", "AUDIT", "UPDATE_NOTIFIER", "YES", "OFFLINE", "PREFER_OFFLINE",
	"IGNORE_SCRIPTS", "LEGACY_PEER_DEPS", "SAVE", "OMIT", "INCLUDE", "UNICODE"}

func is(values ...string) func(string) bool {
	return func(value string) bool { return slices.Contains(values, value) }
}

var pager = is("", "cat", "less", "more")

func noPath(value string) bool { return !strings.ContainsAny(value, "/\\") }

// plainPrompt takes prompts that no shell expands.
func plainPrompt(value string) bool { return !strings.ContainsAny(value, "$`\\") }

func absolutePaths(value string) bool {
	for dir := range strings.SplitSeq(value, ":") {
		if !path.IsAbs(dir) {
			return false
		}
	}
	return true
}

func compiler(value string) bool {
	name, version, _ := strings.Cut(value, "-")
	return slices.Contains([]string{"", "cc", "c++", "gcc", "g++", "clang", "clang++"}, name) && strings.Trim(version, "0123456789.") == ""
}

// jobs takes what tells make how many jobs it runs at once, and no more.
func jobs(value string) bool {
	return strings.Trim(strings.TrimPrefix(strings.TrimPrefix(value, "-"), "j"), "0123456789") == ""
}

// options takes options of these names only. None of their values names code.
func options(names ...string) func(string) bool {
	return func(value string) bool {
		for option := range strings.FieldsSeq(value) {
			name, _, _ := strings.Cut(option, "=")
			if strings.ContainsAny(option, `'"\`) || !slices.Contains(names, strings.TrimLeft(name, "-")) {
				return false
			}
		}
		return true
	}
}

var (
	goFlags = options("mod", "count", "v", "x", "n", "race", "msan", "asan", "short", "trimpath", "buildvcs", "p", "tags", "timeout",
		"json", "cover", "failfast", "parallel", "shuffle")
	nodeOptions = options("max-old-space-size", "max_old_space_size", "max-semi-space-size", "no-warnings", "no-deprecation",
		"trace-warnings", "trace-deprecation", "enable-source-maps", "stack-trace-limit")
)
