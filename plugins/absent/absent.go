// Package absent knows commands that people and agents try and that the sandbox
// has not.
package absent

// Advice returns what to do instead of a command, "" if nothing is known. A
// plugin could have it, or nothing that runs in the sandbox can. Where Terrarium's
// command line knows the plugin by name, the advice has what the sandbox's owner can
// type there.
func Advice(name string) (advice string, plugin bool) {
	if language, ok := languages[name]; ok {
		advice = language + " is not in this sandbox; its owner can add a plugin that has it"
		if known := offered[name]; known != "" {
			advice += ": terrarium plugins add " + known
		}
		return advice, true
	}
	return impossible[name], false
}

// offered are what "terrarium plugins add" knows by name, by their commands.
var offered = map[string]string{
	"clang":   "clang",
	"clang++": "clang",
	"esbuild": "esbuild",
	"git":     "git, or make build where Terrarium is a working copy",
	"node":    "qjs, for plain scripts",
	"php":     "php",
	"python":  "python",
	"python3": "python",
	"qjs":     "qjs",
	"ruby":    "ruby",
	"sqlite3": "sqlite3",
	"wasm-ld": "clang",
	"yosys":   "yosys",
}

// languages are what a plugin can bring, by their commands.
var languages = map[string]string{
	"clang":   "clang",
	"clang++": "clang",
	"esbuild": "esbuild",
	"git":     "git",
	"lua":     "Lua",
	"node":    "a JavaScript engine",
	"perl":    "Perl",
	"php":     "PHP",
	"python":  "Python",
	"python3": "Python",
	"qjs":     "QuickJS",
	"ruby":    "Ruby",
	"sqlite3": "SQLite",
	"wasm-ld": "wasm-ld",
	"yosys":   "Yosys",
}

// impossible are commands that no sandbox of WASI modules can have, with what
// to do instead.
var impossible = map[string]string{
	"openssl": "there are no keys and certificates in this sandbox: sums are sha256sum's and md5sum's, and base64 is there too",
	"sudo":    "there is one user in this sandbox: run the command without sudo",
	"su":      "there is one user in this sandbox: run the command as it is",
	"time":    "time is a word of the shell: bash -c 'time COMMAND'",

	"apt":     noPackages,
	"apt-get": noPackages,
	"conda":   noPackages,
	"dpkg":    noPackages,
	"npm":     noPackages,
	"npx":     noPackages,
	"pnpm":    noPackages,
	"yarn":    noPackages,

	"pip":    noPip,
	"pip3":   noPip,
	"pipx":   noPip,
	"pytest": "pytest is not in this sandbox; its owner can add it, where python is: terrarium plugins pip add pytest; until then python -m unittest",
	"poetry": noPip,
	"uv":     noPip,

	"c++":   noCC,
	"cargo": noBuild,
	"cc":    noCC,
	"cmake": noCompiler,
	"g++":   noCC,
	"gcc":   noCC,
	"go":    noBuild,
	"java":  noCompiler,
	"javac": noCompiler,
	"rustc": noBuild,
	"tsc":   noCompiler,

	"chroot":     noSystem,
	"crontab":    noSystem,
	"dmesg":      noSystem,
	"fuser":      noList,
	"docker":     noSystem,
	"gdb":        noSystem,
	"journalctl": noSystem,
	"kubectl":    noSystem,
	"lsof":       noList,
	"mount":      noSystem,
	"podman":     noSystem,
	"reboot":     noSystem,
	"screen":     noSystem,
	"service":    noSystem,
	"shutdown":   noSystem,
	"ss":         noList,
	"strace":     noSystem,
	"systemctl":  noSystem,
	"tmux":       noSystem,
	"umount":     noSystem,
	"useradd":    noSystem,

	"dig":      noNetwork,
	"ftp":      noNetwork,
	"nc":       noNetwork,
	"nslookup": noNetwork,
	"ping":     noNetwork,
	"rsync":    noNetwork,
	"scp":      noNetwork,
	"sftp":     noNetwork,
	"ssh":      noNetwork,
	"telnet":   noNetwork,

	"ed":    noEditor,
	"emacs": noEditor,
	"nano":  noEditor,
	"pico":  noEditor,
	"vi":    noEditor,
	"vim":   noEditor,

	"info": noManual,
	"man":  noManual,

	"btop": noMonitor,
	"htop": noMonitor,
	"top":  noMonitor,
}

const (
	noPackages = "packages cannot be installed in this sandbox: its owner can install them outside of it, or add a plugin: terrarium plugins search"
	noPip      = "packages cannot be installed in this sandbox; its owner can add those of Python alone: terrarium plugins pip add NAME"
	noCompiler = "there is no compiler in this sandbox: native programs cannot run here, WASI modules can"
	noCC       = "there is no C compiler in this sandbox; its owner can add one that makes WASI modules: terrarium plugins add clang"
	noBuild    = "native programs are not built in this sandbox; its owner can build them outside of it: terrarium run -- COMMAND"
	noSystem   = "not possible in this sandbox: there is no system below it, only commands and files"
	noNetwork  = "nothing connects in this sandbox but curl, wget and git, by HTTP, to hosts that its owner allows: terrarium run --net HOST"
	noManual   = "there are no manual pages in this sandbox: commands behave as Debian's do, and many have --help"
	noList     = "open files and sockets are not listed in this sandbox: ps aux shows what runs, and nothing in it listens"
	noMonitor  = "no full-screen monitor in this sandbox: use ps aux, or watch ps aux"
	noEditor   = "no full-screen editor in this sandbox: read with less, change with sed -i or cat > FILE <<'EOF'"
)
