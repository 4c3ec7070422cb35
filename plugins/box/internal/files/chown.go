package files

import (
	"os"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const chownOptions = "c,changes dereference f,silent,quiet from= h,no-dereference H L P no-preserve-root preserve-root reference= R,recursive v,verbose"

func named(name string) func(option.Option) bool {
	return func(o option.Option) bool { return o.Name == name }
}

func chown(env *tool.Env, args []string) int {
	return changeOwner(env, args, func(spec string) (uid, gid int, ok bool) {
		user, group, has := strings.Cut(spec, ":")
		uid, gid = -1, -1
		if user != "" {
			u, g, ok := userID(user)
			if !ok {
				env.Errorf("invalid user: %s", env.Quote(spec))
				return 0, 0, false
			}
			if uid = int(u); has && group == "" {
				gid = int(g)
			}
		}
		if group != "" {
			g, ok := groupID(group)
			if !ok {
				env.Errorf("invalid group: %s", env.Quote(spec))
				return 0, 0, false
			}
			gid = int(g)
		}
		return uid, gid, true
	})
}

func chgrp(env *tool.Env, args []string) int {
	return changeOwner(env, args, func(spec string) (uid, gid int, ok bool) {
		g, ok := groupID(spec)
		if !ok {
			env.Errorf("invalid group: %s", env.Quote(spec))
		}
		return -1, int(g), ok
	})
}

func userID(s string) (uid, gid uint32, ok bool) {
	if uid, gid, ok = sys.UserID(s); ok {
		return uid, gid, true
	}
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), uint32(n), err == nil
}

func groupID(s string) (uint32, bool) {
	if gid, ok := sys.GroupID(s); ok {
		return gid, true
	}
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil
}

func changeOwner(env *tool.Env, args []string, parse func(string) (uid, gid int, ok bool)) int {
	opts, status := env.Options(args, chownOptions)
	if opts == nil {
		return status
	}
	names := opts.Operands
	switch {
	case len(names) == 0:
		return env.UsageError("missing operand")
	case len(names) == 1:
		return env.UsageError("missing operand after %s", env.Quote(names[0]))
	}
	uid, gid, ok := parse(names[0])
	if !ok {
		return 1
	}
	what := "ownership"
	if uid < 0 {
		what = "group"
	}
	var change func(name string)
	change = func(name string) {
		fi, err := env.Lstat(name)
		if err != nil {
			env.Errorf("cannot access %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
			status = 1
			return
		}
		set := os.Chown
		if opts.Has("h") {
			set = os.Lchown
		}
		if err := set(env.Path(name), uid, gid); err != nil && sys.HasOwners {
			env.Errorf("changing %s of %s: %s", what, tool.QuoteAlways(name), tool.Strerror(err))
			status = 1
		}
		if !opts.Has("R") || !fi.IsDir() {
			return
		}
		entries, _ := env.ReadDir(name)
		for _, e := range entries {
			change(join(name, e.Name()))
		}
	}
	for _, name := range names[1:] {
		change(name)
	}
	return status
}
