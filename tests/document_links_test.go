package tests

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks follows each link of each document that leads to a file of ours, or to a heading. Of
// those that lead elsewhere it looks at the shape alone: it needs no network.
func TestLinks(t *testing.T) {
	anchors := make(map[string]map[string]bool) // by path of the document
	all := documents(t)
	for _, d := range all {
		anchors[d.path] = d.anchors(t)
	}
	links := 0
	for _, d := range all {
		for _, link := range d.links() {
			links++
			if err := checkLink(d.path, link, anchors); err != nil {
				t.Errorf("%s: the link to %q: %v", d.path, link, err)
			}
		}
	}
	if links < 100 {
		t.Errorf("got %d links in %d documents, want hundreds: are they found?", links, len(all))
	}
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	linkNamed  = regexp.MustCompile(`(?m)^\[[^\]]+\]:\s*(\S+)`)
	linkImage  = regexp.MustCompile(`(?:src|srcset|href)="([^"]+)"`)
	linkBare   = regexp.MustCompile(`(?m)(?:^|[\s(<])(https?://[^\s<>()]+)`)
)

func (d *document) links() (found []string) {
	for _, form := range []*regexp.Regexp{linkTarget, linkNamed, linkImage, linkBare} {
		for _, m := range form.FindAllStringSubmatch(d.text, -1) {
			found = append(found, strings.TrimRight(m[1], ".,:;"))
		}
	}
	return found
}

func checkLink(from, link string, anchors map[string]map[string]bool) error {
	u, err := url.Parse(link)
	if err != nil {
		return err
	}
	switch {
	case u.Scheme == "mailto":
		return nil
	case u.Scheme != "":
		if u.Scheme != "https" && u.Scheme != "http" || !strings.Contains(u.Host, ".") || strings.Contains(u.Host, "..") {
			return fmt.Errorf("want https and a name of a host")
		}
		return nil
	}
	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
	}
	if !filepath.IsLocal(filepath.FromSlash(to)) {
		return fmt.Errorf("it leads out of the module")
	}
	if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(to))); err != nil {
		return err
	}
	if u.Fragment != "" && !anchors[to][u.Fragment] {
		return fmt.Errorf("%s has no such heading", to)
	}
	return nil
}

var (
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	notInSlugs = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the names of the document's headings, as GitHub makes them.
func (d *document) anchors(t *testing.T) map[string]bool {
	// A heading may have inline code.
	src, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(d.path)))
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(string(src), -1) {
		slug := strings.ReplaceAll(notInSlugs.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		name := slug
		for n := 1; names[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		names[name] = true
	}
	return names
}

func TestCheckLink(t *testing.T) {
	anchors := map[string]map[string]bool{"README.md": {"embed-it": true}}
	for link, ok := range map[string]bool{
		"../README.md": true, "../README.md#embed-it": true, "../README.md#nothing": false, "sandbox.md": true,
		"nothing.md": false, "../../main": false, "https://example.org/x": true, "https://x": false, "ftp://example.org": false,
	} {
		if err := checkLink("docs/native.md", link, anchors); (err == nil) != ok {
			t.Errorf("%s: got %v, want it to be right: %v", link, err, ok)
		}
	}
}
