package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/wheel"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// A source is a folder of plugins.
type source struct {
	from    string // "user", or the DIR of --plugins
	plugins []plugin.Plugin
}

// isUsers reports whether the source is the user's folder, and has p.
func (s source) isUsers(p *plugin.Plugin) bool {
	return s.from == "user" && slices.ContainsFunc(s.plugins, func(q plugin.Plugin) bool { return q.File == p.File })
}

// userPlugins returns the user's folder of plugins.
//
// https://specifications.freedesktop.org/basedir-spec/latest/
func userPlugins() (string, error) {
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", withHome(fmt.Errorf("no folder for plugins: %w", err))
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "terrarium", "plugins"), nil
}

// withHome adds to why a directory of the user's can't be used what helps, where it is HOME that is
// wrong: a service has none, and after sudo it may be another user's.
func withHome(err error) error {
	home := os.Getenv("HOME")
	switch {
	case err == nil:
		return nil
	case home == "":
		return fmt.Errorf("%w: set HOME", err)
	}
	f, wrong := os.Open(home)
	f.Close() // an error means that it is not open
	if errors.Is(wrong, fs.ErrPermission) {
		return fmt.Errorf("%w: set HOME to a directory that you may read: it is %s", err, home)
	}
	return err
}

// ownDirs returns the directories that no command of the sandbox reaches: those
// that have what later commands are made of, folders of plugins included, and
// what others have in /tmp. The user's folder of plugins is made, or else a
// command that is handed what is around could make it, with plugins of its own.
func ownDirs(plugins []string) []string {
	dirs := slices.Concat([]string{worker.ScratchDir(""), worker.ScratchDir("/tmp")}, socketDirs(), plugins)
	if dir, err := userPlugins(); err == nil {
		os.MkdirAll(dir, 0o700) // where we can't, commands can't
		dirs = append(dirs, dir)
	}
	if dir, err := cacheDir(); err == nil {
		dirs = append(dirs, dir)
	}
	// Another terrarium of the same user may have another environment: a service
	// has no XDG_CACHE_HOME, or another HOME. What it has by default is hidden too.
	var homes []string
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, home)
	}
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		homes = append(homes, u.HomeDir)
	}
	for _, home := range homes {
		if filepath.IsAbs(home) {
			dirs = append(dirs,
				filepath.Join(home, ".cache", "terrarium", "modules"),
				filepath.Join(home, ".local", "share", "terrarium", "plugins"))
		}
	}
	return dirs
}

// readSources returns the user's plugins, then those in dirs. A plugin that is
// no good is told of, and the others work.
func readSources(dirs []string) ([]source, error) {
	var sources []source
	read := func(from, dir string) error {
		found, bad, err := plugin.Read(dir)
		for _, err := range bad {
			warn(os.Stderr, fmt.Errorf("skipped a plugin: %w", err))
		}
		sources = append(sources, source{from, found})
		return err
	}
	if own, err := userPlugins(); err == nil {
		if err = withHome(cache.CheckPath(own)); err == nil {
			err = read("user", own)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			warn(os.Stderr, fmt.Errorf("no plugins of the user's: %w", err))
		}
	}
	for _, dir := range dirs {
		if err := read(dir, dir); err != nil {
			return nil, fmt.Errorf("--plugins: %w", err)
		}
	}
	return sources, nil
}

// resolve returns which plugin answers to which name.
func resolve(sources []source) map[string]*plugin.Plugin {
	folders := make([][]plugin.Plugin, len(sources))
	for i, s := range sources {
		folders[i] = s.plugins
	}
	return plugin.Commands(ownCommands(), folders...)
}

// filesOf returns where commands see a plugin's files, if it has some.
func filesOf(p *plugin.Plugin) []hostwasm.Mount {
	if p.Files == "" {
		return nil
	}
	dir := filepath.Join(filepath.Dir(p.File), p.Files)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		warn(os.Stderr, fmt.Errorf("plugin %s: its files are gone: add it again: %s", p.Name, plugin.Printable(dir)))
		return nil
	}
	return []hostwasm.Mount{{Dir: dir, Guest: p.At, ReadOnly: true, Own: true}}
}

// defaultMemory is hostwasm's.
const defaultMemory = 512 << 20

// addPlugins adds the commands of plugins, the variables that they set, and the
// files that they need. Unless
// --memory says how much there is, there is as much as any of them wants.
func (f *hostFlags) addPlugins(c *hostwasm.Config) error {
	sources, err := readSources(f.plugins)
	if err != nil {
		return err
	}
	modules := make(map[*plugin.Plugin]*hostwasm.Module)
	box := c.Commands["bash"]
	for name, p := range resolve(sources) {
		if modules[p] == nil {
			modules[p] = &hostwasm.Module{Name: filepath.Base(p.File), Load: p.Module}
			c.Env = append(c.Env, p.Env...)
			c.Mounts = append(c.Mounts, filesOf(p)...)
		}
		if name == "python3" && slices.ContainsFunc(sources, func(s source) bool { return s.isUsers(p) }) {
			addPython(c, p)
		}
		switch {
		case !slices.Contains(p.Box, name):
			c.Commands[name] = modules[p]
		case box != nil:
			c.Commands[name] = box
		}
		if f.limits.memory == 0 && p.Memory > max(c.Limits.Memory, defaultMemory) {
			c.Limits.Memory = p.Memory
		}
	}
	return nil
}

// addPython has the user's python find what was added by "plugins pip add", and know
// its current directory. One of no known version has to do without.
func addPython(c *hostwasm.Config, p *plugin.Plugin) {
	python, err := wheel.PythonOf(p.Version)
	if err != nil {
		return
	}
	site := wheel.SiteOf(filepath.Dir(p.File))
	if err := site.Refresh(python["python_version"]); err != nil {
		warn(os.Stderr, fmt.Errorf("plugin %s: without its packages: %w", p.Name, err))
		return
	}
	c.Env = append(c.Env, site.Env()...)
	c.Mounts = append(c.Mounts, hostwasm.Mount{Dir: site.Dir(), Guest: wheel.At, ReadOnly: true, Own: true})
}
