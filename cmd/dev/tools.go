package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// A tool is a program that "test" needs besides Go.
type tool struct {
	name   string
	why    string   // what does not work without it
	probe  []string // succeeds where the tool works
	debian []string // the packages that bring it
}

var tools = []tool{
	{
		name:   "a C compiler with its headers",
		why:    "the race detector and wasmtime are linked with it",
		probe:  []string{"go", "build", "runtime/cgo"}, // with the compiler that Go would use
		debian: []string{"gcc", "libc6-dev"},
	},
	{
		name:   "node",
		why:    "the tests run the reactor in it, and compare our width table with xterm.js",
		probe:  []string{"node", "--version"},
		debian: []string{"nodejs"},
	},
	{
		name:   "npm",
		why:    "it fetches the ACP schema and xterm.js, pinned in tests/package-lock.json",
		probe:  []string{"npm", "--version"},
		debian: []string{"npm"},
	},
	{
		name:   "git",
		why:    "the tests run it as a command of an agent",
		probe:  []string{"git", "--version"},
		debian: []string{"git"},
	},
	{
		name:   "ssh",
		why:    "git signs with a key that its agent holds, from inside the sandbox",
		probe:  []string{"ssh", "-V"},
		debian: []string{"openssh-client"},
	},
	{
		name:   "ps",
		why:    "the tests look with it for processes left behind",
		probe:  []string{"ps", "-p", "1"},
		debian: []string{"procps"},
	},
	{
		name:   "vim",
		why:    "agents edit with it, in raw mode",
		probe:  []string{"vim", "--version"},
		debian: []string{"vim"},
	},
	{
		name:   "less",
		why:    "agents read with it, in raw mode",
		probe:  []string{"less", "--version"},
		debian: []string{"less"},
	},
	{
		name:   "python3",
		why:    "agents are written in it, and use it as a REPL",
		probe:  []string{"python3", "--version"},
		debian: []string{"python3"},
	},
	{
		name:   "make",
		why:    "agents build with it",
		probe:  []string{"make", "--version"},
		debian: []string{"make"},
	},
	{
		name:   "tmux",
		why:    "its keys and its screen are what ours are compared with",
		probe:  []string{"tmux", "-V"},
		debian: []string{"tmux"},
	},
	chromium,
}

// chromium is what the tests of the page run in.
var chromium = tool{
	name:   "chromium",
	why:    "the sandbox of the page is tested in it",
	probe:  []string{"chromium", "--version"},
	debian: []string{"chromium"},
}

// servers are what tests say NOT RUN without. They are installed on machines of CI only: on a
// person's machine the first would listen from then on.
var servers = []tool{
	{
		name:   "sshd",
		why:    "terminals elsewhere are tested over ssh",
		probe:  []string{"test", "-x", "/usr/sbin/sshd"},
		debian: []string{"openssh-server"},
	},
	{
		name:   "runc",
		why:    "terminals elsewhere are tested in a container",
		probe:  []string{"runc", "--version"},
		debian: []string{"runc"},
	},
}

// toolsStep comes before what needs them.
func toolsStep() step {
	return step{"tools", func(ctx context.Context, out io.Writer) error {
		if err := installTools(ctx, out, tools); err != nil {
			return err
		}
		if os.Getenv("CI") == "" || !canInstall() {
			return nil
		}
		unstarted := func() error { return installTools(ctx, out, servers) }
		if err := withoutServices(servicePolicy, unstarted); err != nil {
			fmt.Fprintln(out, err) // the tests say NOT RUN
		}
		return nil
	}}
}

// servicePolicy is what the packages of Debian ask whether they may start a service.
//
// https://people.debian.org/~hmh/invokerc.d-policyrc.d-specification.txt
const servicePolicy = "/usr/sbin/policy-rc.d"

// withoutServices calls do, during which no service is started: some can't be, and then their
// package is not installed. A policy that is there, as in images of Docker, stays as it is.
func withoutServices(policy string, do func() error) error {
	f, err := os.OpenFile(policy, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return do()
	}
	if err != nil {
		return err
	}
	defer os.Remove(policy)
	_, err = f.WriteString("#!/bin/sh\nexit 101\n") // forbidden
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return do()
}

// installTools makes sure that tools are there: as root on Debian by installing what is missing,
// elsewhere by saying what is missing and how to get it.
func installTools(ctx context.Context, out io.Writer, tools []tool) error {
	missing := missingTools(ctx, tools)
	if len(missing) == 0 {
		return nil
	}
	if !canInstall() {
		return errors.New(missingMessage(missing))
	}
	quiet := []string{"DEBIAN_FRONTEND=noninteractive"}
	if err := command(ctx, out, quiet, "apt-get", "update"); err != nil {
		return fmt.Errorf("apt-get update: %w\n%s", err, missingMessage(missing))
	}
	install := append([]string{"install", "--yes", "--no-install-recommends"}, debianPackages(missing)...)
	if err := command(ctx, out, quiet, "apt-get", install...); err != nil {
		return fmt.Errorf("apt-get install: %w\n%s", err, missingMessage(missing))
	}
	if missing = missingTools(ctx, missing); len(missing) > 0 {
		return fmt.Errorf("after installing them: %s", missingMessage(missing))
	}
	return nil
}

func missingTools(ctx context.Context, tools []tool) []tool {
	var missing []tool
	for _, t := range tools {
		if exec.CommandContext(ctx, t.probe[0], t.probe[1:]...).Run() != nil {
			missing = append(missing, t)
		}
	}
	return missing
}

// canInstall reports whether this is Debian, or something made from it, and we are root.
func canInstall() bool {
	if os.Geteuid() != 0 {
		return false
	}
	if _, err := os.Stat("/etc/debian_version"); err != nil {
		return false
	}
	_, err := exec.LookPath("apt-get")
	return err == nil
}

func debianPackages(tools []tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.debian...)
	}
	return names
}

func missingMessage(missing []tool) string {
	var b strings.Builder
	for _, t := range missing {
		fmt.Fprintf(&b, "missing: %s (%s)\n", t.name, t.why)
	}
	fmt.Fprintf(&b, "install with your package manager; the Debian packages are: %s",
		strings.Join(debianPackages(missing), " "))
	return b.String()
}
