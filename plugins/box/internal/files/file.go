package files

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/magic"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// sniff is how much of a file is looked at, in bytes.
const sniff = 1 << 20

// fileType is file.
func fileType(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "b,brief i,mime I mime-type mime-encoding L,dereference h,no-dereference k,keep-going N,no-pad 0,print0 "+
		"s,special-files z,uncompress f,files-from= F,separator= e,exclude= E r,raw m,magic-file=")
	if opts == nil {
		return status
	}
	names := opts.Operands
	if len(names) == 0 {
		env.Warn("Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n" +
			"            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n" +
			"            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]\n" +
			"            <file> ...\n       file -C [-m <magicfiles>]\n       file [--help]")
		return 1
	}
	width := 0
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(name))
	}
	separator := ":"
	for _, o := range opts.Options {
		if o.Name == "F" {
			separator = o.Arg
		}
	}
	for _, name := range names {
		kind := describe(env, name, opts.Has("L"))
		text := kind.Text
		switch {
		case opts.Has("i"), opts.Has("I"):
			text = kind.MIME + "; charset=" + kind.Charset
		case opts.Has("mime-type"):
			text = kind.MIME
		case opts.Has("mime-encoding"):
			text = kind.Charset
		}
		if !opts.Has("b") {
			pad := strings.Repeat(" ", width-utf8.RuneCountInString(name)+1)
			if opts.Has("N") {
				pad = " "
			}
			shown := name
			if name == "-" {
				shown = "/dev/stdin"
			}
			fmt.Fprintf(env.Out, "%s%s%s", shown, separator, pad)
		}
		env.Out.WriteString(text + "\n")
	}
	return 0
}

func describe(env *tool.Env, name string, follow bool) magic.Kind {
	look := env.Lstat
	if follow {
		look = env.Stat
	}
	if name != "-" {
		fi, err := look(name)
		if err != nil {
			text := fmt.Sprintf("cannot open `%s' (%s)", name, tool.Strerror(err))
			return magic.Kind{Text: text, MIME: text, Charset: text}
		}
		if kind, ok := special(env, name, sys.Of(fi)); ok {
			return kind
		}
	}
	r, err := env.Input(name)
	if err != nil {
		text := fmt.Sprintf("cannot open `%s' (%s)", name, tool.Strerror(err))
		return magic.Kind{Text: text, MIME: text, Charset: text}
	}
	defer r.Close()
	p, err := io.ReadAll(io.LimitReader(r, sniff))
	if err != nil {
		return magic.Kind{Text: "cannot read `" + name + "' (" + tool.Strerror(err) + ")"}
	}
	return magic.Of(p)
}

// special describes what is no regular file.
func special(env *tool.Env, name string, i sys.Info) (magic.Kind, bool) {
	switch i.Type() {
	case 'd':
		text := "directory"
		if i.Mode&sys.Sticky != 0 {
			text = "sticky, directory"
		}
		return magic.Kind{Text: text, MIME: "inode/directory", Charset: "binary"}, true
	case 'l':
		target, _ := os.Readlink(env.Path(name))
		text := "symbolic link to " + target
		if _, err := env.Stat(name); err != nil {
			text = "broken " + text
		}
		return magic.Kind{Text: text, MIME: "inode/symlink", Charset: "binary"}, true
	case 'p':
		return magic.Kind{Text: "fifo (named pipe)", MIME: "inode/fifo", Charset: "binary"}, true
	case 's':
		return magic.Kind{Text: "socket", MIME: "inode/socket", Charset: "binary"}, true
	case 'c':
		return magic.Kind{Text: fmt.Sprintf("character special (%d/%d)", major(i.Rdev), minor(i.Rdev)), MIME: "inode/chardevice", Charset: "binary"}, true
	case 'b':
		return magic.Kind{Text: fmt.Sprintf("block special (%d/%d)", major(i.Rdev), minor(i.Rdev)), MIME: "inode/blockdevice", Charset: "binary"}, true
	}
	return magic.Kind{}, false
}
