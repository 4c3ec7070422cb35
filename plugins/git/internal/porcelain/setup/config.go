package setup

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Config(c *cli.Call) error {
	o, err := c.Parse("global local system l,list get get-all get-regexp add unset unset-all name-only type= bool int replace-all default= show-origin show-scope z,null path expiry-date e,edit remove-section rename-section")
	if err != nil {
		return err
	}
	if c.Repo == nil && o.Has("local") {
		return cli.Fatal("--local can only be used inside a git repository")
	}
	settings := &repo.Config{}
	if c.Repo != nil {
		settings = c.Repo.Config
	} else if settings, err = repo.ReadConfig(""); err != nil {
		return err
	}
	settings.Override(c.Config)
	all := settings.List(o.Has("global"), o.Has("local"))
	args := o.Rest()
	if o.Has("l") {
		c.Page()
		for _, s := range all {
			if o.Has("name-only") {
				c.Printf("%s\n", s.Key)
				continue
			}
			c.Printf("%s=%s\n", s.Key, s.Value)
		}
		return nil
	}
	if o.Has("get-regexp") && len(args) > 0 {
		return matchingSettings(c, all, args[0], o.Has("name-only"))
	}
	if len(args) == 0 {
		return &cli.Failure{Status: 129, Text: "usage: " + c.Usage}
	}
	key := args[0]
	if i := strings.LastIndexByte(key, '.'); i < 0 {
		return cli.Wrong("key does not contain a section: %s", key)
	} else if i == len(key)-1 {
		return cli.Wrong("key does not contain variable name: %s", key)
	}
	switch {
	case o.Has("unset") || o.Has("unset-all"):
		was, err := settings.Set(key, "", o.Has("global"), true)
		if err == nil && !was {
			return cli.Quiet(5)
		}
		return err
	case len(args) > 1:
		if c.Repo == nil && !o.Has("global") {
			return cli.Fatal("not in a git directory")
		}
		_, err := settings.Set(key, args[1], o.Has("global"), false)
		return err
	}
	value, ok := "", false
	for _, s := range all {
		if s.Key == repo.FoldKey(key) {
			value, ok = s.Value, true
			if o.Has("get-all") {
				c.Printf("%s\n", value)
			}
		}
	}
	switch {
	case !ok && o.Has("default"):
		c.Printf("%s\n", o.Arg("default"))
	case !ok:
		return cli.Quiet(1)
	case !o.Has("get-all"):
		c.Printf("%s\n", value)
	}
	return nil
}

// matchingSettings prints the settings whose keys match a pattern.
func matchingSettings(c *cli.Call, all []repo.Setting, pattern string, only bool) error {
	re, err := cli.CompilePattern(pattern, "E", false, false)
	if err != nil {
		return cli.Wrong("invalid key pattern: %s", pattern)
	}
	found := false
	for _, s := range all {
		if !re.MatchString(s.Key) {
			continue
		}
		found = true
		if only {
			c.Printf("%s\n", s.Key)
			continue
		}
		c.Printf("%s %s\n", s.Key, s.Value)
	}
	if !found {
		return cli.Quiet(1)
	}
	return nil
}
