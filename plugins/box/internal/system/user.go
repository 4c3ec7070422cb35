package system

import (
	"fmt"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func whoami(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		return e.UsageError("extra operand %s", e.Quote(opts.Operands[0]))
	}
	uid, _ := sys.Self()
	e.Out.WriteString(sys.UserName(uid) + "\n")
	return 0
}

func id(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "a Z,context g,group G,groups n,name r,real u,user z,zero")
	if opts == nil {
		return status
	}
	choices := 0
	for _, name := range []string{"u", "g", "G"} {
		if opts.Has(name) {
			choices++
		}
	}
	if choices > 1 {
		e.Errorf("cannot print \"only\" of more than one choice")
		return 1
	}
	if choices == 0 && (opts.Has("n") || opts.Has("r")) {
		e.Errorf("cannot print only names or real IDs in default format")
		return 1
	}
	end := "\n"
	if opts.Has("z") {
		end = "\x00"
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		uid, gid := sys.Self()
		if name != "" {
			u, g, ok := sys.UserID(name)
			if !ok {
				n, err := strconv.ParseUint(name, 10, 32)
				if err != nil || sys.UserName(uint32(n)) == name {
					e.Errorf("%s: no such user", e.Quote(name))
					status = 1
					continue
				}
				u, g, _ = sys.UserID(sys.UserName(uint32(n)))
			}
			uid, gid = u, g
		}
		number := func(id uint32, lookup func(uint32) string) string {
			if opts.Has("n") {
				return lookup(id)
			}
			return strconv.FormatUint(uint64(id), 10)
		}
		switch {
		case opts.Has("u"):
			e.Out.WriteString(number(uid, sys.UserName) + end)
		case opts.Has("g"), opts.Has("G"):
			e.Out.WriteString(number(gid, sys.GroupName) + end)
		default:
			group := sys.GroupName(gid)
			fmt.Fprintf(e.Out, "uid=%d(%s) gid=%d(%s) groups=%d(%s)%s", uid, sys.UserName(uid), gid, group, gid, group, end)
		}
	}
	return status
}

func groups(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "")
	if opts == nil {
		return status
	}
	_, gid := sys.Self()
	if len(opts.Operands) == 0 {
		e.Out.WriteString(sys.GroupName(gid) + "\n")
	}
	for _, name := range opts.Operands {
		_, gid, ok := sys.UserID(name)
		if !ok {
			e.Errorf("%s: no such user", e.Quote(name))
			status = 1
			continue
		}
		e.Out.WriteString(name + " : " + sys.GroupName(gid) + "\n")
	}
	return status
}
