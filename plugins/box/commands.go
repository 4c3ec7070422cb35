package main

import (
	"maps"
	"slices"
	"sync"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/archive"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/awk"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/bash"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/basic"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/bc"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/cc"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/compress"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/dd"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/digest"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/dump"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/field"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/files"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/find"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/grep"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/iconv"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/jq"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/mk"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/node"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/order"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/ripgrep"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sed"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/system"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/text"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/transfer"
)

// commands returns all commands by name. The map is shared: it is only read.
var commands = sync.OnceValue(func() map[string]tool.Command {
	all := map[string]tool.Command{}
	for _, family := range [][]tool.Command{
		archive.Commands(),
		awk.Commands(),
		bash.Commands(),
		basic.Commands(),
		bc.Commands(),
		cc.Commands(),
		compress.Commands(),
		dd.Commands(),
		diff.Commands(),
		digest.Commands(),
		dump.Commands(),
		field.Commands(),
		files.Commands(),
		find.Commands(),
		grep.Commands(),
		iconv.Commands(),
		jq.Commands(),
		mk.Commands(),
		node.Commands(),
		order.Commands(),
		ripgrep.Commands(),
		sed.Commands(),
		system.Commands(),
		text.Commands(),
		transfer.Commands(),
	} {
		for _, c := range family {
			all[c.Name] = c
		}
	}
	return all
})

// names returns the names of all commands in order, but for the optional ones.
func names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(commands())), func(name string) bool { return !has(name) })
}
