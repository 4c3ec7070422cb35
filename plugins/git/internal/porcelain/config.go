package porcelain

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func config(c *call) error {
	o, err := c.parse("global local system l,list get get-all get-regexp add unset unset-all name-only type= bool int replace-all default= show-origin show-scope z,null path expiry-date e,edit remove-section rename-section")
	if err != nil {
		return err
	}
	if c.repo == nil && o.Has("local") {
		return fatal("--local can only be used inside a git repository")
	}
	settings := &repo.Config{}
	if c.repo != nil {
		settings = c.repo.Config
	} else if settings, err = repo.ReadConfig(""); err != nil {
		return err
	}
	settings.Override(c.config)
	all := settings.List(o.Has("global"), o.Has("local"))
	args := o.Rest()
	if o.Has("l") {
		c.page()
		for _, s := range all {
			if o.Has("name-only") {
				c.printf("%s\n", s.Key)
				continue
			}
			c.printf("%s=%s\n", s.Key, s.Value)
		}
		return nil
	}
	if o.Has("get-regexp") && len(args) > 0 {
		return c.matchingSettings(all, args[0], o.Has("name-only"))
	}
	if len(args) == 0 {
		return &failure{129, "usage: " + commands()["config"].usage}
	}
	key := args[0]
	if i := strings.LastIndexByte(key, '.'); i < 0 {
		return wrong("key does not contain a section: %s", key)
	} else if i == len(key)-1 {
		return wrong("key does not contain variable name: %s", key)
	}
	switch {
	case o.Has("unset") || o.Has("unset-all"):
		was, err := settings.Set(key, "", o.Has("global"), true)
		if err == nil && !was {
			return quiet(5)
		}
		return err
	case len(args) > 1:
		if c.repo == nil && !o.Has("global") {
			return fatal("not in a git directory")
		}
		_, err := settings.Set(key, args[1], o.Has("global"), false)
		return err
	}
	value, ok := "", false
	for _, s := range all {
		if s.Key == repo.FoldKey(key) {
			value, ok = s.Value, true
			if o.Has("get-all") {
				c.printf("%s\n", value)
			}
		}
	}
	switch {
	case !ok && o.Has("default"):
		c.printf("%s\n", o.Arg("default"))
	case !ok:
		return quiet(1)
	case !o.Has("get-all"):
		c.printf("%s\n", value)
	}
	return nil
}

// matchingSettings prints the settings whose keys match a pattern.
func (c *call) matchingSettings(all []repo.Setting, pattern string, only bool) error {
	re, err := compilePattern(pattern, "E", false, false)
	if err != nil {
		return wrong("invalid key pattern: %s", pattern)
	}
	found := false
	for _, s := range all {
		if !re.MatchString(s.Key) {
			continue
		}
		found = true
		if only {
			c.printf("%s\n", s.Key)
			continue
		}
		c.printf("%s %s\n", s.Key, s.Value)
	}
	if !found {
		return quiet(1)
	}
	return nil
}
