package awk

import (
	"fmt"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
)

// times is systime, mktime and strftime.
func (in *interp) times(name string, args []value) value {
	switch name {
	case "systime":
		return num(float64(time.Now().Unix()))
	case "mktime":
		return num(mktime(in.str(args[0]), clock.Zone(in.env)))
	}
	format, t := "%a %b %e %H:%M:%S %Z %Y", time.Now()
	if len(args) > 0 {
		format = in.str(args[0])
	}
	if len(args) > 1 {
		t = time.Unix(int64(args[1].num()), 0)
	}
	if len(args) > 2 && args[2].truth() {
		return str(strftime(format, t.UTC()))
	}
	return str(strftime(format, t.In(clock.Zone(in.env))))
}

// mktime reads "YYYY MM DD HH MM SS".
func mktime(s string, loc *time.Location) float64 {
	var v [6]int
	n, _ := fmt.Sscan(s, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5])
	if n < 6 {
		return -1
	}
	return float64(time.Date(v[0], time.Month(v[1]), v[2], v[3], v[4], v[5], 0, loc).Unix())
}

// layouts are those conversions of strftime that Go formats.
var layouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02",
	'D': "01/02/06", 'e': "_2", 'F': "2006-01-02", 'H': "15", 'I': "03", 'j': "002", 'm': "01", 'M': "04", 'p': "PM",
	'r': "03:04:05 PM", 'R': "15:04", 'S': "05", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006",
	'z': "-0700", 'Z': "MST",
}

func strftime(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		c := format[i]
		if layout, ok := layouts[c]; ok {
			b.WriteString(t.Format(layout))
			continue
		}
		switch c {
		case '%':
			b.WriteByte('%')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 's':
			fmt.Fprint(&b, t.Unix())
		case 'u':
			fmt.Fprint(&b, (int(t.Weekday())+6)%7+1)
		case 'w':
			fmt.Fprint(&b, int(t.Weekday()))
		case 'V':
			_, week := t.ISOWeek()
			fmt.Fprintf(&b, "%02d", week)
		case 'U':
			fmt.Fprintf(&b, "%02d", (t.YearDay()+6-int(t.Weekday()))/7)
		case 'W':
			fmt.Fprintf(&b, "%02d", (t.YearDay()+6-(int(t.Weekday())+6)%7)/7)
		case 'k':
			fmt.Fprintf(&b, "%2d", t.Hour())
		case 'C':
			fmt.Fprintf(&b, "%02d", t.Year()/100)
		default:
			b.WriteByte('%')
			b.WriteByte(c)
		}
	}
	return b.String()
}
