package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	format "github.com/go-git/go-git/v6/plumbing/format/config"
)

// A Config is the user's configuration with the repository's over it.
type Config struct {
	local, global *format.Config
	path          string // of the local one
	override      []Setting
}

// GlobalPath returns where the user's configuration is.
func GlobalPath() string {
	if path, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		return path
	}
	return filepath.Join(os.Getenv("HOME"), ".gitconfig")
}

// ReadConfig reads the configuration; path is the repository's, "" if there is none. A missing file
// is empty.
func ReadConfig(path string) (*Config, error) {
	global, err := readFile(GlobalPath())
	if err != nil {
		return nil, err
	}
	local, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return &Config{local: local, global: global, path: path}, nil
}

func readFile(path string) (*format.Config, error) {
	c := format.New()
	if path == "" {
		return c, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if err := format.NewDecoder(bytes.NewReader(b)).Decode(c); err != nil {
		return nil, fmt.Errorf("bad config file %s: %w", path, err)
	}
	return c, nil
}

// A Setting is one line of a configuration.
type Setting struct{ Key, Value string }

// List returns all settings, the user's first; only those of one file if global or local say so.
func (c *Config) List(global, local bool) []Setting {
	var out []Setting
	if !local {
		out = list(out, c.global)
	}
	if !global {
		out = list(out, c.local)
	}
	if !global && !local {
		for _, s := range c.override {
			out = append(out, Setting{FoldKey(s.Key), s.Value})
		}
	}
	return out
}

func list(out []Setting, c *format.Config) []Setting {
	for _, s := range c.Sections {
		for _, o := range s.Options {
			out = append(out, Setting{strings.ToLower(s.Name + "." + o.Key), o.Value})
		}
		for _, sub := range s.Subsections {
			for _, o := range sub.Options {
				out = append(out, Setting{strings.ToLower(s.Name) + "." + sub.Name + "." + strings.ToLower(o.Key), o.Value})
			}
		}
	}
	return out
}

// Get returns the last value of key, and whether there is one.
func (c *Config) Get(key string) (string, bool) {
	key = FoldKey(key)
	value, ok := "", false
	for _, s := range c.List(false, false) {
		if s.Key == key {
			value, ok = s.Value, true
		}
	}
	return value, ok
}

// objectFormat returns how the repository makes the names of its objects: sha1, if it does not say.
func (c *Config) objectFormat() string {
	format := "sha1"
	for _, s := range list(nil, c.local) {
		if s.Key == "extensions.objectformat" {
			format = s.Value
		}
	}
	return format
}

// FoldKey returns the key in the case that settings are compared in.
func FoldKey(key string) string {
	section, rest, _ := strings.Cut(key, ".")
	i := strings.LastIndexByte(rest, '.')
	return strings.ToLower(section) + "." + rest[:i+1] + strings.ToLower(rest[i+1:])
}

// Set sets key, or removes it, in the user's file or the repository's. It reports whether the key
// was there.
func (c *Config) Set(key, value string, global, remove bool) (was bool, err error) {
	file, path := c.local, c.path
	if global {
		file, path = c.global, GlobalPath()
	}
	section, rest, _ := strings.Cut(key, ".")
	sub, name := "", rest
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		sub, name = rest[:i], rest[i+1:]
	}
	for _, s := range list(nil, file) {
		was = was || s.Key == FoldKey(key)
	}
	switch {
	case !remove:
		file.SetOption(section, sub, name, value)
	case sub == "":
		file.Section(section).RemoveOption(name)
	default:
		file.Section(section).Subsection(sub).RemoveOption(name)
	}
	var b bytes.Buffer
	if err := format.NewEncoder(&b).Encode(file); err != nil {
		return was, err
	}
	return was, os.WriteFile(path, b.Bytes(), 0o666)
}

// Override makes settings count for this run, over those of the files.
func (c *Config) Override(settings []Setting) { c.override = settings }
