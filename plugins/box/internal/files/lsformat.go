package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func (l *lister) time(i sys.Info) time.Time {
	switch l.stamp {
	case 'a':
		return i.Atime
	case 'c':
		return i.Ctime
	}
	return i.Mtime
}

// write writes a group of files, whose columns are aligned with each other.
func (l *lister) write(files []listed) {
	l.indent = ""
	if l.terminal && l.quoting == "shell-escape" && l.format != '1' && l.format != 'm' && slices.ContainsFunc(files, l.quoted) {
		l.indent = " "
	}
	switch l.format {
	case 'l':
		l.long(files)
	case 'C', 'x':
		l.columns(files)
	case 'm':
		l.commas(files)
	default:
		prefixes := l.prefixes(files)
		for i, f := range files {
			l.env.Out.WriteString(prefixes[i] + l.decorated(f) + l.end)
		}
	}
}

// prefixes returns the inode numbers and block counts that come before the names.
func (l *lister) prefixes(files []listed) []string {
	var inodes, blocks []string
	for _, f := range files {
		inodes = append(inodes, strconv.FormatUint(f.info.Ino, 10))
		blocks = append(blocks, l.blockCount(f.info.Blocks))
	}
	inodeWidth, blockWidth := widest(inodes), widest(blocks)
	out := make([]string, len(files))
	for i := range files {
		if l.inode {
			out[i] += fmt.Sprintf("%*s ", inodeWidth, inodes[i])
		}
		if l.blocks {
			out[i] += fmt.Sprintf("%*s ", blockWidth, blocks[i])
		}
	}
	return out
}

func widest(texts []string) int {
	n := 0
	for _, s := range texts {
		n = max(n, len(s))
	}
	return n
}

func (l *lister) long(files []listed) {
	var links, owners, groups, sizes []string
	for _, f := range append(files[:len(files):len(files)], l.beside...) {
		links = append(links, strconv.FormatUint(f.info.Nlink, 10))
		owners = append(owners, l.name(f.info.Uid, sys.UserName))
		groups = append(groups, l.name(f.info.Gid, sys.GroupName))
		size := l.size(f.info.Size)
		if t := f.info.Type(); t == 'b' || t == 'c' {
			size = fmt.Sprintf("%d, %d", major(f.info.Rdev), minor(f.info.Rdev))
		}
		sizes = append(sizes, size)
	}
	linkWidth, ownerWidth, groupWidth, sizeWidth := widest(links), widest(owners), widest(groups), widest(sizes)
	prefixes := l.prefixes(files)
	for i, f := range files {
		out := l.env.Out
		fmt.Fprintf(out, "%s%s %*s ", prefixes[i], f.info.ModeString(), linkWidth, links[i])
		if l.owner {
			l.person(owners[i], ownerWidth)
		}
		if l.group {
			l.person(groups[i], groupWidth)
		}
		fmt.Fprintf(out, "%*s %s %s", sizeWidth, sizes[i], l.stampText(l.time(f.info)), l.paint(f, l.shown(f)))
		switch {
		case f.info.IsLink():
			out.WriteString(" -> " + l.quote(f.target))
			if l.classify != 0 && !f.broken {
				out.WriteString(l.indicator(f.points))
			}
		case l.classify != 0:
			out.WriteString(l.indicator(f.info))
		}
		out.WriteString(l.end)
	}
}

// major and minor take a device number apart as Linux does.
func major(d uint64) uint64 { return d>>8&0xfff | d>>32&^0xfff }
func minor(d uint64) uint64 { return d&0xff | d>>12&0xffffff00 }

func (l *lister) name(id uint32, lookup func(uint32) string) string {
	if l.numeric {
		return strconv.FormatUint(uint64(id), 10)
	}
	return lookup(id)
}

func (l *lister) person(name string, width int) {
	if l.numeric {
		fmt.Fprintf(l.env.Out, "%*s ", width, name)
		return
	}
	fmt.Fprintf(l.env.Out, "%-*s ", width, name)
}

// halfYear is the age from which on the year is shown and the time is not: half a Gregorian year.
const halfYear = 31556952 / 2 * time.Second

func (l *lister) stampText(t time.Time) string {
	recent := t.After(l.now.Add(-halfYear)) && !t.After(l.now)
	format := "%b %e  %Y"
	if recent {
		format = "%b %e %H:%M"
	}
	switch {
	case strings.HasPrefix(l.timeStyle, "+"):
		old, now, two := strings.Cut(l.timeStyle[1:], "\n")
		if format = old; two && recent {
			format = now
		}
	case l.timeStyle == "full-iso":
		format = "%Y-%m-%d %H:%M:%S.%N %z"
	case l.timeStyle == "long-iso":
		format = "%Y-%m-%d %H:%M"
	case l.timeStyle == "iso" && recent:
		format = "%m-%d %H:%M"
	case l.timeStyle == "iso":
		format = "%Y-%m-%d "
	}
	return clock.Format(format, t.In(l.zone))
}

func (l *lister) quote(name string) string {
	switch l.quoting {
	case "escape", "c":
		q := strconv.Quote(name)
		if l.quoting == "c" {
			return q
		}
		return strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), " ", `\ `)
	case "shell", "shell-escape":
		return tool.QuoteName(name)
	case "shell-always", "shell-escape-always":
		return tool.QuoteAlways(name)
	}
	return name
}

func (l *lister) quoted(f listed) bool { return l.quote(f.name) != f.name }

// shown is a file's name as it is listed.
func (l *lister) shown(f listed) string {
	if l.indent != "" && !l.quoted(f) {
		return l.indent + f.name
	}
	return l.quote(f.name)
}

func (l *lister) decorated(f listed) string {
	return l.paint(f, l.shown(f)) + l.indicator(f.info)
}

// indicator is the character that -F, -p or --file-type puts behind a name.
func (l *lister) indicator(i sys.Info) string {
	if l.classify == 0 {
		return ""
	}
	if i.IsDir() {
		return "/"
	}
	if l.classify == 'p' {
		return ""
	}
	switch i.Type() {
	case 'l':
		return "@"
	case 'p':
		return "|"
	case 's':
		return "="
	}
	if l.classify == 'F' && i.IsRegular() && i.Mode&0o111 != 0 {
		return "*"
	}
	return ""
}

// paint colours a name as ls does where LS_COLORS is not set.
func (l *lister) paint(f listed, text string) string {
	code := ""
	if l.color {
		code = colorOf(f.info)
	}
	if code == "" {
		return text
	}
	start := ""
	if !l.colored {
		start, l.colored = "\x1b[0m", true
	}
	return start + "\x1b[" + code + "m" + text + "\x1b[0m"
}

func colorOf(i sys.Info) string {
	switch i.Type() {
	case 'd':
		switch sticky, others := i.Mode&sys.Sticky != 0, i.Mode&0o002 != 0; {
		case sticky && others:
			return "30;42"
		case others:
			return "34;42"
		case sticky:
			return "37;44"
		}
		return "01;34"
	case 'l':
		return "01;36"
	case 'p':
		return "33"
	case 's':
		return "01;35"
	case 'b', 'c':
		return "01;33"
	}
	switch {
	case i.Mode&sys.SetUID != 0:
		return "37;41"
	case i.Mode&sys.SetGID != 0:
		return "30;43"
	case i.Mode&0o111 != 0:
		return "01;32"
	}
	return ""
}

// cells returns what -C, -x and -m lay out, and how wide each is without colours.
func (l *lister) cells(files []listed) (texts []string, widths []int) {
	prefixes := l.prefixes(files)
	for i, f := range files {
		texts = append(texts, prefixes[i]+l.decorated(f))
		widths = append(widths, tool.Columns(prefixes[i]+l.shown(f)+l.indicator(f.info)))
	}
	return texts, widths
}

func (l *lister) commas(files []listed) {
	texts, widths := l.cells(files)
	column := 0
	for i, text := range texts {
		if i > 0 {
			l.env.Out.WriteByte(',')
			if column+widths[i]+2 >= l.width {
				l.env.Out.WriteByte('\n')
				column = 0
			} else {
				l.env.Out.WriteByte(' ')
			}
			column += 2
		}
		l.env.Out.WriteString(text)
		column += widths[i]
	}
	if len(files) > 0 {
		l.env.Out.WriteByte('\n')
	}
}

// columns lays names out in as many columns as fit.
func (l *lister) columns(files []listed) {
	texts, widths := l.cells(files)
	n := len(files)
	if n == 0 {
		return
	}
	for cols := min(n, max(l.width/3, 1)); cols > 0; cols-- {
		rows := (n + cols - 1) / cols
		at := func(row, col int) int {
			if l.format == 'x' {
				return row*cols + col
			}
			return col*rows + row
		}
		size := make([]int, cols)
		total := 0
		for c := range cols {
			for r := range rows {
				if i := at(r, c); i < n {
					size[c] = max(size[c], widths[i]+2)
				}
			}
			total += size[c]
		}
		if cols > 1 && (total-2 >= l.width || l.format == 'C' && size[cols-1] == 0) {
			continue
		}
		for r := range rows {
			column, goal := 0, 0
			for c := range cols {
				i := at(r, c)
				if i >= n {
					break
				}
				l.pad(column, goal)
				l.env.Out.WriteString(texts[i])
				column, goal = goal+widths[i], goal+size[c]
			}
			l.env.Out.WriteByte('\n')
		}
		return
	}
}

// pad moves from one column to another with tabs where they help, as ls does.
func (l *lister) pad(from, to int) {
	for from < to {
		if next := from/8*8 + 8; to/8 > (from+1)/8 && next <= to {
			l.env.Out.WriteByte('\t')
			from = next
			continue
		}
		l.env.Out.WriteByte(' ')
		from++
	}
}

// paints reports whether the terminal that the environment names has colours, as ls knows them.
func paints(env *tool.Env) bool {
	if env.Getenv("LS_COLORS") != "" || env.Getenv("COLORTERM") != "" {
		return true
	}
	term := env.Getenv("TERM")
	for _, known := range []string{"color", "xterm", "screen", "tmux", "linux", "vt100", "vt220", "rxvt", "ansi", "putty", "konsole", "kitty", "alacritty", "cygwin", "con", "console", "Eterm", "st", "terminator", "gnome", "hurd", "foot", "dtterm", "jfbterm", "mlterm"} {
		if term == known || strings.HasPrefix(term, known+"-") || strings.Contains(term, "color") {
			return true
		}
	}
	return false
}
