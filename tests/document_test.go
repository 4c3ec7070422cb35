package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A document is a file of Markdown, with what documents_test.go and behind_client_test.go look at:
// https://spec.commonmark.org/, as far as ours use it.
type document struct {
	path   string // from the root of the module
	text   string // without its blocks of code, inline code and comments
	blocks []*block
}

// A block is a block of code.
type block struct {
	line int    // of its first line, from 1
	lang string // what stands behind the fence
	note string // the comment in the line above, without its marks
	text string
}

var (
	fenceLine   = regexp.MustCompile("^ {0,3}```(\\w*)\\s*$")
	noteLine    = regexp.MustCompile(`^<!-- (.*) -->$`)
	inlineCode  = regexp.MustCompile("(?s)``.*?``|`[^`]*`")
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// documents returns all documents of the module, but for those that others have written.
func documents(t *testing.T) (found []*document) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".md":
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel("..", path)
			found = append(found, parseDocument(filepath.ToSlash(name), string(src)))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// parseDocument finds blocks between fences, and those behind a tab or four spaces.
func parseDocument(path, src string) *document {
	d := &document{path: path}
	var text strings.Builder
	var open *block // nil outside of blocks
	var fenced bool
	last := "" // the line before
	for i, line := range strings.Split(src, "\n") {
		fence := fenceLine.FindStringSubmatch(line)
		_, indented := cutIndent(line)
		switch {
		case fence != nil && fenced:
			open, fenced = nil, false
		case fenced:
			open.text += line + "\n"
		case fence != nil:
			open, fenced = d.open(i+2, fence[1], last), true
		case open != nil && (indented || strings.TrimSpace(line) == ""):
			rest, _ := cutIndent(line)
			open.text += rest + "\n"
		case indented && strings.TrimSpace(last) == "" && strings.TrimSpace(line) != "":
			rest, _ := cutIndent(line)
			open = d.open(i+1, "", last)
			open.text = rest + "\n"
		default:
			open = nil
			text.WriteString(line + "\n")
		}
		last = line
	}
	d.text = inlineCode.ReplaceAllString(htmlComment.ReplaceAllString(text.String(), ""), "")
	return d
}

func (d *document) open(line int, lang, above string) *block {
	b := &block{line: line, lang: lang}
	if note := noteLine.FindStringSubmatch(above); note != nil {
		b.note = note[1]
	}
	d.blocks = append(d.blocks, b)
	return b
}

func cutIndent(line string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(line, "\t"); ok {
		return rest, true
	}
	return strings.CutPrefix(line, "    ")
}

func TestParseDocument(t *testing.T) {
	d := parseDocument("x.md", "a `[b](c)` [d](e)\n<!-- not run: f -->\n```sh\ng\n\n```\nh\n\n\ti\n\n\tj\n\nk\n    no code\n")
	if d.text != "a  [d](e)\n\nh\n\nk\n    no code\n\n" || len(d.blocks) != 2 {
		t.Fatalf("got text %q and %d blocks", d.text, len(d.blocks))
	}
	if got, want := *d.blocks[0], (block{4, "sh", "not run: f", "g\n\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := *d.blocks[1], (block{9, "", "", "i\n\nj\n\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
