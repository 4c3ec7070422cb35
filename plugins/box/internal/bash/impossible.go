package bash

// impossible are commands that agents try and that no sandbox of WASI modules
// can have, with what to do instead.
var impossible = map[string]string{
	"apt":       noPackages,
	"apt-get":   noPackages,
	"conda":     noPackages,
	"dpkg":      noPackages,
	"npm":       noPackages,
	"pip":       noPip,
	"pip3":      noPip,
	"cc":        noCompiler,
	"clang":     noCompiler,
	"g++":       noCompiler,
	"gcc":       noCompiler,
	"docker":    noSystem,
	"mount":     noSystem,
	"service":   noSystem,
	"sudo":      "there is one user in this sandbox: run the command without sudo",
	"su":        "there is one user in this sandbox: run the command as it is",
	"systemctl": noSystem,
	"tmux":      noSystem,
	"curl":      noNetwork,
	"wget":      noNetwork,
	"ssh":       noNetwork,
	"python":    noPython,
	"python3":   noPython,
	"node":      "not added to this sandbox: ask for a plugin that has it",
	"vim":       noEditor,
	"vi":        noEditor,
	"nano":      noEditor,
}

const (
	noPackages = "packages cannot be installed in this sandbox: ask for a plugin that has the command"
	noPip      = "packages cannot be installed in this sandbox: put pure-Python modules into a directory and set PYTHONPATH"
	noCompiler = "there is no compiler in this sandbox: native programs cannot run here, WASI modules can"
	noSystem   = "not possible in this sandbox: there is no system below it, only commands and files"
	noNetwork  = "there is no network in this sandbox: ask for the file to be put into the workspace"
	noPython   = "not added to this sandbox: ask for the plugin python3"
	noEditor   = "no full-screen editor in this sandbox: use sed -i, or cat > FILE <<'EOF'"
)
