package environ

import (
	"strings"
	"sync"
)

// allowed are the names that commands get to see, each list with its reason. A name that stands
// here in full is no secret, whatever it looks like, but its value may be.
var allowed = sync.OnceValue(func() map[string]bool {
	return namesIn(
		// What every program counts on.
		`PATH PWD HOME USER LOGNAME SHELL LANG LANGUAGE TZ TZDIR TMPDIR TERM TERMINFO TERMINFO_DIRS COLORTERM LOCALE_ARCHIVE MANPATH`,
		// The language, by kind of text. Not all LC_*: ssh passes those on, and so people name
		// others so.
		`LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME LC_ADDRESS LC_IDENTIFICATION LC_MEASUREMENT LC_NAME LC_PAPER LC_TELEPHONE`,
		// How they look to their person, and which editor that person has.
		`NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR LS_COLORS EDITOR VISUAL PAGER LESS CI DEBIAN_FRONTEND SOURCE_DATE_EPOCH`,
		// Where their files are. XDG_RUNTIME_DIR is the same as /run/user/UID. Not DISPLAY,
		// XAUTHORITY and DBUS_SESSION_BUS_ADDRESS: they lead to a person's keys, windows and
		// keyring.
		`XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR`,
		// The way out and whom to trust, where a company has its own: without these nothing is
		// fetched. A proxy's URL that has a password is left out by its value.
		`http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY
	SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE AWS_CA_BUNDLE NIX_SSL_CERT_FILE GRPC_DEFAULT_SSL_ROOTS_FILE_PATH`,
		// git, also over ssh: SSH_AUTH_SOCK leads to keys that sign and never leave the agent that
		// has them. Not GIT_DIR, GIT_INDEX_FILE and the like: they are about the repository whose
		// hook may have started us. Not GIT_CONFIG_COUNT and GIT_CONFIG_PARAMETERS, in which
		// headers with tokens stand, and not GIT_ASKPASS, which an editor answers with its person's
		// password.
		`SSH_AUTH_SOCK GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM
	GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_EDITOR GIT_PAGER GIT_TERMINAL_PROMPT GIT_EXEC_PATH
	GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM GNUPGHOME`,
		// Go. GOPRIVATE and the like are names of modules. GOAUTH says how to log in, not with
		// what.
		`GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOTMPDIR GOENV GOFLAGS GOPROXY GONOPROXY GOSUMDB GONOSUMDB GOPRIVATE GOINSECURE GOAUTH GOVCS
	GOTOOLCHAIN GOWORK GO111MODULE GOOS GOARCH GOARM GOAMD64 GOARM64 GOEXPERIMENT GODEBUG GOMAXPROCS CGO_ENABLED CGO_CFLAGS CGO_CPPFLAGS
	CGO_CXXFLAGS CGO_LDFLAGS`,
		// Where a command that traces itself sends its spans; not the headers, which log in there.
		`OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_PROPAGATORS`,
		// Rust. CARGO_REGISTRY_TOKEN is not among them, and its kin are left out by their names.
		`CARGO_HOME CARGO_TARGET_DIR CARGO_INCREMENTAL RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTUP_DIST_SERVER RUSTUP_UPDATE_ROOT RUSTUP_AUTO_INSTALL
	RUSTFLAGS RUSTDOCFLAGS RUSTC_WRAPPER RUST_BACKTRACE RUST_LOG`,
		// Node, and what manages its versions and packages.
		`NODE_ENV NODE_PATH NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR FNM_MULTISHELL_PATH
	N_PREFIX COREPACK_HOME COREPACK_NPM_REGISTRY PNPM_HOME YARN_CACHE_FOLDER BUN_INSTALL DENO_DIR`,
		// Python, its virtual environments, and what manages its versions.
		`VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE CONDA_PYTHON_EXE CONDA_SHLVL MAMBA_ROOT_PREFIX MAMBA_EXE PYENV_ROOT PYENV_VERSION
	PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONWARNINGS
	PIP_CERT PIPX_HOME PIPX_BIN_DIR POETRY_HOME POETRY_CACHE_DIR POETRY_VIRTUALENVS_PATH POETRY_VIRTUALENVS_IN_PROJECT`,
		// Other languages, and what builds in C. LD_LIBRARY_PATH is there since programs may not
		// start without. Not LD_PRELOAD, which none needs, and not MAKEFLAGS: it names descriptors
		// that commands don't have.
		`JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME MAVEN_OPTS GRADLE_HOME GRADLE_OPTS GRADLE_USER_HOME JAVA_TOOL_OPTIONS ANDROID_HOME ANDROID_SDK_ROOT
	DOTNET_ROOT DOTNET_CLI_TELEMETRY_OPTOUT NUGET_PACKAGES GEM_HOME GEM_PATH RBENV_ROOT RBENV_VERSION BUNDLE_PATH RUBYLIB PERL5LIB
	PERL_LOCAL_LIB_ROOT PERL_MM_OPT PERL_MB_OPT
	CC CXX CPP AR LD CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH PKG_CONFIG PKG_CONFIG_PATH
	CMAKE_PREFIX_PATH CMAKE_GENERATOR CMAKE_BUILD_PARALLEL_LEVEL CMAKE_BUILD_TYPE CMAKE_TOOLCHAIN_FILE CCACHE_DIR SCCACHE_DIR
	SDKROOT DEVELOPER_DIR MACOSX_DEPLOYMENT_TARGET DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH __CF_USER_TEXT_ENCODING
	HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR MISE_CONFIG_DIR`,
	)
})

// families are allowed by how their names begin. Those whose names look like secrets are not.
var families = []string{
	"npm_config_", "NPM_CONFIG_", "COREPACK_ENABLE_", // registries, proxies, caches; not _authToken
	"PIP_", "UV_", // indexes and caches; not UV_PUBLISH_TOKEN
	"CARGO_BUILD_", "CARGO_NET_", "CARGO_HTTP_", "CARGO_TERM_", "CARGO_TARGET_", "CARGO_PROFILE_", "CARGO_REGISTRIES_",
}

func isAllowed(name string) bool {
	if allowed()[name] {
		return true
	}
	for _, f := range families {
		if strings.HasPrefix(name, f) && !secretName(name[len(f):]) {
			return true
		}
	}
	return false
}

func namesIn(lists ...string) map[string]bool {
	all := make(map[string]bool)
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			all[name] = true
		}
	}
	return all
}
