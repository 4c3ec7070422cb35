package system

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// host is the machine's name where nobody says another.
const host = "terrarium"

func hostName(e *tool.Env) string {
	if v := e.Getenv("HOSTNAME"); v != "" {
		return v
	}
	if data, err := os.ReadFile("/etc/hostname"); err == nil {
		if name := strings.TrimSpace(string(data)); name != "" {
			return name
		}
	}
	return host
}

func hostname(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "s,short f,fqdn,long d,domain i,ip-address I,all-ip-addresses A,all-fqdns a,alias b,boot F,file= y,yp,nis")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		e.Errorf("you must be root to change the host name")
		return 1
	}
	name := hostName(e)
	switch {
	case opts.Has("d"):
		_, name, _ = strings.Cut(name, ".")
	case opts.Has("i"), opts.Has("I"):
		name = "127.0.0.1"
	case opts.Has("s"):
		name, _, _ = strings.Cut(name, ".")
	}
	e.Out.WriteString(name + "\n")
	return 0
}

// machine is the name of the processor, as uname has it.
func machine() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	case "wasm":
		return "wasm32"
	}
	return runtime.GOARCH
}

// uname says Linux everywhere, because the userland is Debian's.
func uname(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "a,all s,kernel-name,sysname n,nodename r,kernel-release,release v,kernel-version m,machine p,processor "+
		"i,hardware-platform o,operating-system")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		return e.UsageError("extra operand %s", e.Quote(opts.Operands[0]))
	}
	parts := []struct{ option, text string }{
		{"s", "Linux"}, {"n", hostName(e)}, {"r", "6.1.0-terrarium"}, {"v", "#1 SMP Terrarium"}, {"m", machine()},
		{"p", "unknown"}, {"i", "unknown"}, {"o", "GNU/Linux"},
	}
	var out []string
	for _, p := range parts {
		if opts.Has(p.option) || opts.Has("a") && p.text != "unknown" || len(opts.Options) == 0 && p.option == "s" {
			out = append(out, p.text)
		}
	}
	e.Out.WriteString(strings.Join(out, " ") + "\n")
	return 0
}

func arch(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		return e.UsageError("extra operand %s", e.Quote(opts.Operands[0]))
	}
	e.Out.WriteString(machine() + "\n")
	return 0
}

func nproc(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "all ignore=")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		return e.UsageError("extra operand %s", e.Quote(opts.Operands[0]))
	}
	n := runtime.NumCPU()
	for _, o := range opts.Options {
		if o.Name != "ignore" {
			continue
		}
		less, err := strconv.Atoi(o.Arg)
		if err != nil || less < 0 {
			e.Errorf("invalid number: %s", e.Quote(o.Arg))
			return 1
		}
		n = max(n-less, 1)
	}
	e.Out.WriteString(strconv.Itoa(n) + "\n")
	return 0
}

func pwd(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "L,logical P,physical")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		e.Errorf("ignoring non-option arguments")
	}
	dir := e.Dir
	logical := e.Getenv("POSIXLY_CORRECT") != ""
	for _, o := range opts.Options {
		logical = o.Name == "L"
	}
	if logical {
		if p := e.Getenv("PWD"); sameDir(p, dir) {
			dir = p
		}
	} else if real, err := realDir(dir); err == nil {
		dir = real
	}
	e.Out.WriteString(dir + "\n")
	return 0
}
