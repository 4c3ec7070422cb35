package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// examineWasm tries the sandbox: a worker is started, and says what holds it.
func examineWasm() hostReport {
	r := hostReport{Name: "wasm", Checks: []check{}, Holds: []hold{}, Lacks: []string{}, Limits: sandboxLimits()}
	add := func(name, found string, err error) bool {
		c := check{Name: name, Found: found}
		if err != nil {
			c.Found, c.Error = "", message(err)
		}
		r.Checks = append(r.Checks, c)
		return err == nil
	}
	add("engines", strings.Join(engines, ", "), nil)
	commands := 0
	var missing error // the first of them
	for _, m := range ownModules() {
		if err := m.Missing(); err != nil {
			missing = cmp.Or(missing, withAdvice(err))
			continue
		}
		commands += len(m.Commands)
	}
	found := fmt.Sprint(commands)
	if missing != nil && commands > 0 {
		found, missing = found+"; "+message(missing), nil
	}
	add("commands", found, missing)
	added, err := addedPlugins()
	add("plugins", added, err)
	dir, err := cacheDir()
	if err == nil {
		err = tryCache(dir)
	}
	if !add("compile cache", dir, err) {
		dir = "" // modules are compiled each time
	}
	host, err := worker.New(worker.Config{CacheDir: dir, Pool: -1, Undumpable: true})
	if err != nil {
		add("worker", "", err)
		return r
	}
	defer host.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	measures, err := host.Report(ctx)
	if !add("worker", "ok", err) {
		return r
	}
	r.Available = true
	for _, m := range measures {
		r.Holds = append(r.Holds, hold(m))
	}
	for _, m := range worker.Missing(measures) {
		r.Lacks = append(r.Lacks, m.Name+", which --sandbox-required asks for")
	}
	return r
}

// addedPlugins returns what the user has added, and of which versions it is.
func addedPlugins() (string, error) {
	sources, err := readSources(nil)
	if err != nil {
		return "", err
	}
	var added []string
	for _, m := range ownModules() {
		if m.Built != nil {
			added = append(added, m.Name+" "+m.Built.Version)
		}
	}
	for _, s := range sources {
		for _, p := range s.plugins {
			added = append(added, strings.TrimSpace(p.Name+" "+p.Version))
		}
	}
	return cmp.Or(strings.Join(added, ", "), "none was added"), nil
}

// sandboxLimits are what commands of the sandbox get that are given none.
func sandboxLimits() []namedLimit {
	l := hostwasm.Limits{}.WithDefaults()
	size := func(n int64) string {
		b := byteSize(n)
		return b.String()
	}
	return []namedLimit{
		{"memory", size(l.Memory)},
		{"stack", fmt.Sprintf("%s of it for each process", size(l.Stack))},
		{"time", fmt.Sprintf("%v, without limit of fuel", l.Wall)},
		{"output", size(l.Output)},
		{"files", fmt.Sprintf("%s and %d more of them, %s in /tmp in blocks of 4KiB", size(l.Disk), l.Files, size(l.Scratch))},
		{"open files", fmt.Sprintf("%d in each of %d processes", l.OpenFiles, l.Processes)},
		{"arguments", size(int64(l.Arguments))},
		{"module", fmt.Sprintf("%s, %v to compile", size(l.Module), l.Compile)},
	}
}
