package files

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// sandboxBlocks is the size that df and "stat -f" tell, in blocks of 4 KiB: WASI doesn't say. Half
// of it is free.
const sandboxBlocks = 1 << 18

func df(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "a,all B,block-size= h,human-readable H,si i,inodes k l,local no-sync output? P,portability sync t,type= "+
		"total T,print-type v x,exclude-type=")
	if opts == nil {
		return status
	}
	unit, label, base := int64(1024), "1K-blocks", int64(0)
	for _, o := range opts.Options {
		switch o.Name {
		case "B":
			n, _, ok := sys.ParseBlockSize(o.Arg)
			if !ok {
				env.Errorf("invalid --block-size argument '%s'", o.Arg)
				return 1
			}
			unit, label, base = n, o.Arg+"-blocks", 0
		case "h":
			label, base = "Size", 1024
		case "H":
			label, base = "Size", 1000
		}
	}
	if base == 0 && opts.Has("P") {
		label = "1024-blocks"
	}
	found := len(opts.Operands) == 0
	for _, name := range opts.Operands {
		if _, err := env.Stat(name); err != nil {
			env.FileError(name, err)
			status = 1
			continue
		}
		found = true
	}
	if !found {
		return status
	}
	size := func(blocks int64) string {
		if base > 0 {
			return sys.Human(blocks*4096, base)
		}
		return fmt.Sprint((blocks*4096 + unit - 1) / unit)
	}
	header := []string{"Filesystem", label, "Used", "Available", "Use%", "Mounted on"}
	row := []string{"sandbox", size(sandboxBlocks), size(sandboxBlocks / 2), size(sandboxBlocks / 2), "50%", "/"}
	switch {
	case opts.Has("i"):
		header = []string{"Filesystem", "Inodes", "IUsed", "IFree", "IUse%", "Mounted on"}
		row = []string{"sandbox", fmt.Sprint(sandboxBlocks), fmt.Sprint(sandboxBlocks / 2), fmt.Sprint(sandboxBlocks / 2), "50%", "/"}
	case base > 0:
		header[3] = "Avail"
	case opts.Has("P"):
		header[4] = "Capacity"
	}
	if opts.Has("T") {
		header = append([]string{header[0], "Type"}, header[1:]...)
		row = append([]string{row[0], "wasi"}, row[1:]...)
	}
	table(env, header, row)
	return status
}

// table writes rows with the first column to the left and the numbers to the right.
func table(env *tool.Env, rows ...[]string) {
	for _, row := range rows {
		for c, cell := range row {
			width := 0
			for _, r := range rows {
				width = max(width, len(r[c]))
			}
			switch {
			case c == 0:
				cell += strings.Repeat(" ", max(width, 14)-len(cell)+1)
			case c == len(row)-1:
			default:
				cell = strings.Repeat(" ", max(width, 5)-len(cell)) + cell + " "
			}
			env.Out.WriteString(cell)
		}
		env.Out.WriteByte('\n')
	}
}
