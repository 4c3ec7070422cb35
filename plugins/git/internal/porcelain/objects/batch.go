package objects

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// defaultFormat is what git cat-file --batch shows of an object.
const defaultFormat = "%(objectname) %(objecttype) %(objectsize)"

// A batch answers for many objects.
type batch struct {
	c        *cli.Call
	format   string
	contents bool
	rest     bool // a line of input has more behind the object's name
}

// catBatch is git cat-file --batch and --batch-check.
func catBatch(c *cli.Call, o *option.Result) error {
	if o.Has("batch") && o.Has("batch-check") {
		return &cli.Failure{Status: 129, Text: "error: only one batch option may be specified"}
	}
	if len(o.Rest()) > 0 {
		return &cli.Failure{Status: 129, Text: "fatal: batch modes take no arguments"}
	}
	b := &batch{c: c, contents: o.Has("batch"), format: defaultFormat}
	if _, format := o.Last("batch", "batch-check"); format != "" {
		b.format = format
	}
	b.rest = strings.Contains(b.format, "%(rest)")
	if _, err := b.show(plumbing.ZeroHash, plumbing.BlobObject, 0, ""); err != nil {
		return err
	}
	if o.Has("batch-all-objects") {
		all, err := c.Repo.All()
		if err != nil {
			return err
		}
		for _, h := range all {
			if err := b.answer(h, h.String(), ""); err != nil {
				return err
			}
		}
		return nil
	}
	in := bufio.NewScanner(c.Stdin)
	for in.Scan() {
		name, rest := in.Text(), ""
		if i := strings.IndexAny(name, " \t"); b.rest && i >= 0 {
			name, rest = name[:i], strings.TrimLeft(name[i:], " \t")
		}
		h, err := c.Repo.Resolve(name)
		if err != nil {
			c.Printf("%s missing\n", name)
			continue
		}
		if err := b.answer(h, name, rest); err != nil {
			return err
		}
	}
	return in.Err()
}

// answer shows an object, which is called name, or says that there is none.
func (b *batch) answer(h plumbing.Hash, name, rest string) error {
	t, body, err := b.c.Repo.Object(h)
	if err != nil {
		b.c.Printf("%s missing\n", name)
		return nil
	}
	line, err := b.show(h, t, len(body), rest)
	if err != nil {
		return err
	}
	b.c.Printf("%s\n", line)
	if b.contents {
		b.c.Printf("%s\n", body)
	}
	return nil
}

// show returns the format with what it names of an object.
func (b *batch) show(h plumbing.Hash, t plumbing.ObjectType, size int, rest string) (string, error) {
	var out strings.Builder
	for text := b.format; text != ""; {
		before, after, ok := strings.Cut(text, "%")
		out.WriteString(before)
		switch {
		case !ok:
			return out.String(), nil
		case strings.HasPrefix(after, "%"):
			out.WriteByte('%')
			text = after[1:]
			continue
		case !strings.HasPrefix(after, "("):
			out.WriteByte('%')
			text = after
			continue
		}
		element, after, ok := strings.Cut(after[1:], ")")
		if !ok {
			return "", cli.Fatal("format element '(%s' does not end in ')'", element)
		}
		text = after
		switch element {
		case "objectname":
			out.WriteString(h.String())
		case "objecttype":
			out.WriteString(t.String())
		case "objectsize":
			fmt.Fprint(&out, size)
		case "deltabase", "objectsize:disk":
			return "", cli.Fatal("format element %s is not supported here", element)
		case "rest":
			out.WriteString(rest)
		default:
			return "", cli.Fatal("unknown format element: %s", element)
		}
	}
	return out.String(), nil
}
