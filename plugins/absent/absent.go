// Package absent knows commands that people and agents try and that the sandbox
// has not.
package absent

// Advice returns what to do instead of a command, "" if nothing is known. A
// plugin could have it, or nothing that runs in the sandbox can. How plugins are
// added differs: who knows that, as the command line does, says it.
func Advice(name string) (advice string, plugin bool) {
	if language, ok := languages[name]; ok {
		return language + " is not in this sandbox; its owner can add a plugin that has it", true
	}
	return impossible[name], false
}

// languages are what a plugin can bring, by their commands.
var languages = map[string]string{
	"git":     "git",
	"lua":     "Lua",
	"node":    "a JavaScript engine",
	"perl":    "Perl",
	"php":     "PHP",
	"python":  "Python",
	"python3": "Python",
	"ruby":    "Ruby",
	"sqlite3": "SQLite",
}

// impossible are commands that no sandbox of WASI modules can have, with what
// to do instead.
var impossible = map[string]string{
	"openssl": "there are no keys and certificates in this sandbox: sums are sha256sum's and md5sum's, and base64 is there too",
	"sudo":    "there is one user in this sandbox: run the command without sudo",
	"su":      "there is one user in this sandbox: run the command as it is",

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
	"poetry": noPip,
	"uv":     noPip,

	"c++":   noCompiler,
	"cargo": noCompiler,
	"cc":    noCompiler,
	"clang": noCompiler,
	"cmake": noCompiler,
	"g++":   noCompiler,
	"gcc":   noCompiler,
	"go":    noCompiler,
	"java":  noCompiler,
	"javac": noCompiler,
	"rustc": noCompiler,
	"tsc":   noCompiler,

	"chroot":     noSystem,
	"crontab":    noSystem,
	"dmesg":      noSystem,
	"docker":     noSystem,
	"gdb":        noSystem,
	"journalctl": noSystem,
	"kubectl":    noSystem,
	"mount":      noSystem,
	"podman":     noSystem,
	"reboot":     noSystem,
	"screen":     noSystem,
	"service":    noSystem,
	"shutdown":   noSystem,
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
	noPackages = "packages cannot be installed in this sandbox: ask for a plugin that has the command"
	noPip      = "packages cannot be installed in this sandbox: put pure-Python modules into a directory and set PYTHONPATH"
	noCompiler = "there is no compiler in this sandbox: native programs cannot run here, WASI modules can"
	noSystem   = "not possible in this sandbox: there is no system below it, only commands and files"
	noNetwork  = "there is no network in this sandbox: ask for the file to be put into the workspace"
	noManual   = "there are no manual pages in this sandbox: commands behave as Debian's do, and many have --help"
	noMonitor  = "no full-screen monitor in this sandbox: use ps aux, or watch ps aux"
	noEditor   = "no full-screen editor in this sandbox: read with less, change with sed -i or cat > FILE <<'EOF'"
)
