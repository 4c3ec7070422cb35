package compress

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// xzSizes are what xz -l shows of a file.
type xzSizes struct {
	streams, blocks  uint64
	compressed, size int64
	checks           []string
}

// list shows a file's sizes. They are counted, not read from the index, so a file that lies is
// found out.
func (x *xzer) list(name string, in io.Reader) {
	counted := &tool.CountingReader{R: in}
	z, err := newXZReader(bufio.NewReader(counted))
	if err != nil {
		x.tell(name, err)
		return
	}
	size, err := copyTo(io.Discard, z)
	if err != nil {
		x.tell(name, err)
		return
	}
	s := xzSizes{z.streams, z.total, counted.N, size, z.checks}
	if len(x.listed) == 0 && x.quiet == 0 {
		x.env.Out.WriteString("Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n")
	}
	x.listed = append(x.listed, s)
	s.show(x, name)
}

func (s xzSizes) show(x *xzer, name string) {
	if x.quiet > 0 {
		return
	}
	fmt.Fprintf(x.env.Out, "%5d %7d %12s %12s  %5s  %-7s %s\n", s.streams, s.blocks, xzSize(s.compressed), xzSize(s.size),
		xzRatio(s.compressed, s.size), strings.Join(s.checks, ","), name)
}

func (x *xzer) listTotal() {
	if len(x.listed) < 2 {
		return
	}
	var sum xzSizes
	seen := map[string]bool{}
	for _, s := range x.listed {
		sum.streams += s.streams
		sum.blocks += s.blocks
		sum.compressed += s.compressed
		sum.size += s.size
		for _, c := range s.checks {
			if !seen[c] {
				sum.checks = append(sum.checks, c)
			}
			seen[c] = true
		}
	}
	if x.quiet == 0 {
		x.env.Out.WriteString(strings.Repeat("-", 79) + "\n")
	}
	sum.show(x, fmt.Sprintf("%d files", len(x.listed)))
}

func xzRatio(compressed, size int64) string {
	r := float64(compressed) / float64(size)
	if size == 0 || r > 9.999 {
		return "---"
	}
	return fmt.Sprintf("%.3f", r)
}

// xzSize writes a size for people, as xz does.
func xzSize(n int64) string {
	if n < 10000 {
		return fmt.Sprintf("%d B", n)
	}
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n)/1024, 0
	for f > 9999.9 && i < len(units)-1 {
		f /= 1024
		i++
	}
	s := fmt.Sprintf("%.1f", f)
	if whole, tenth, _ := strings.Cut(s, "."); len(whole) > 3 {
		s = whole[:len(whole)-3] + "," + whole[len(whole)-3:] + "." + tenth
	}
	return s + " " + units[i]
}
