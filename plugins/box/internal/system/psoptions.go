package system

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

// options reads ps's, which come with a dash, with two, or, BSD's, with none.
func (l *listing) options(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		// value is what an option needs: the rest of the argument, or the next one.
		value := func(rest string) (string, error) {
			if rest != "" {
				return rest, nil
			}
			if len(args) == 0 {
				return "", errors.New("list of process IDs must follow")
			}
			v := args[0]
			args = args[1:]
			return v, nil
		}
		var err error
		switch {
		case strings.HasPrefix(arg, "--"):
			err = l.long(arg[2:], value)
		case len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "aux") != "":
			err = l.letters(arg[1:], value, l.unix)
		case len(arg) > 1 && arg[0] == '-': // "-aux" has always been taken for "aux"
			err = l.letters(arg[1:], value, l.bsdLike)
		case arg != "" && '0' <= arg[0] && arg[0] <= '9':
			err = l.pids(arg)
		default:
			err = l.letters(arg, value, l.bsd)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// letters reads options of a letter each, the last of which may have a value.
func (l *listing) letters(all string, value func(string) (string, error), one func(c byte) (taker func(string) error, ok bool)) error {
	for i := range len(all) {
		take, ok := one(all[i])
		if !ok && all[0] != '-' {
			return errors.New("unsupported SysV option")
		}
		if take == nil {
			continue
		}
		v, err := value(strings.TrimPrefix(all[i+1:], "="))
		if err != nil {
			return err
		}
		return take(v)
	}
	return nil
}

// unix is an option with a dash.
func (l *listing) unix(c byte) (func(string) error, bool) {
	switch c {
	case 'e', 'A', 'a', 'd', 'N':
		l.everybody()
	case 'f', 'F':
		l.format(psFull)
	case 'l':
		l.format(psLong)
	case 'j':
		l.format(psJobs)
	case 'w':
		l.wide()
	case 'o', 'O':
		return l.own, true
	case 'p', 'q':
		return l.pids, true
	case 'C':
		return l.names, true
	case 'u', 'U', 'g', 'G':
		return l.users, true
	case 't', 's':
		return func(string) error { return nil }, true
	case 'H', 'L', 'T', 'm', 'y', 'M', 'c', 'V':
	default:
		return nil, false
	}
	return nil, true
}

// bsd is an option without.
func (l *listing) bsd(c byte) (func(string) error, bool) {
	switch c {
	case 'p', 'q':
		return l.pids, true
	case 'o', 'O':
		return l.own, true
	case 'k':
		return l.order, true
	case 'U':
		return l.users, true
	case 't':
		return func(string) error { return nil }, true
	}
	return l.bsdLike(c)
}

func (l *listing) bsdLike(c byte) (func(string) error, bool) {
	switch c {
	case 'a', 'x', 'g', 'r', 'T':
		l.everybody()
		l.format(psBSD)
	case 'u':
		if !l.asked {
			l.columns = nil
		}
		l.format(psUser)
	case 'l', 'j', 'v', 's', 'X':
		l.format(psBSD)
	case 'w':
		l.wide()
	case 'h':
		l.bare = true
		l.format(psBSD)
	case 'f', 'e', 'c', 'n', 'S', 'm', 'H', 'L':
		l.format(psBSD)
	default:
		return nil, false
	}
	return nil, true
}

func (l *listing) long(option string, value func(string) (string, error)) error {
	name, arg, _ := strings.Cut(option, "=")
	var take func(string) error
	switch name {
	case "pid", "quick-pid":
		take = l.pids
	case "ppid":
		take = l.parents
	case "format":
		take = l.own
	case "sort":
		take = l.order
	case "user", "User", "group", "Group":
		take = l.users
	case "cols", "columns", "width":
		take = func(s string) (err error) {
			l.width, err = strconv.Atoi(s)
			return err
		}
	case "no-headers", "no-heading", "noheaders", "no-header":
		l.bare = true
	case "forest", "deselect", "headers", "cumulative":
	default:
		return errors.New("unknown gnu long option")
	}
	if take == nil {
		return nil
	}
	v, err := value(arg)
	if err != nil {
		return err
	}
	return take(v)
}

func (l *listing) everybody() {
	l.selected = append(l.selected, func(process.Info) bool { return true })
}

// format is add for a format of an option. The first one counts.
func (l *listing) format(list string) {
	if l.columns == nil {
		l.add(list)
	}
}

// wide is -w: 132 columns, and no limit the second time.
func (l *listing) wide() {
	if l.width >= 132 || l.width == 0 {
		l.width = 0
		return
	}
	l.width = 132
}

// own is -o: its columns are in place of any format's.
func (l *listing) own(list string) error {
	if !l.asked {
		l.asked, l.columns = true, nil
	}
	return l.add(list)
}

// add adds columns. A head, after "=", reaches to the end of the list where it is the user's.
func (l *listing) add(list string) error {
	for list != "" {
		spec, rest, _ := strings.Cut(list, ",")
		if i := strings.IndexAny(list, ", "); i >= 0 {
			spec, rest = list[:i], list[i+1:]
		}
		name, head, own := strings.Cut(spec, "=")
		f, ok := psFieldOf(name)
		if !ok {
			return fmt.Errorf("unknown user-defined format specifier %q", name)
		}
		c := psColumn{f, f.head}
		if own {
			c.head = head
			if head == "" && f.width > 0 && rest == "" && l.columns == nil {
				c.width = f.width
			}
		}
		l.columns = append(l.columns, c)
		list = rest
	}
	return nil
}

func (l *listing) order(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if _, ok := psFieldOf(strings.TrimLeft(name, "+-")); !ok {
			return fmt.Errorf("unknown sort specifier")
		}
		l.sort = append(l.sort, name)
	}
	return nil
}

// numbers reads a list of process numbers.
func numbers(list string) (pids []int, err error) {
	for _, s := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		pid, err := strconv.Atoi(s)
		if err != nil || pid < 1 {
			return nil, errors.New("process ID list syntax error")
		}
		pids = append(pids, pid)
	}
	if pids == nil {
		return nil, errors.New("process ID list syntax error")
	}
	return pids, nil
}

func (l *listing) pids(list string) error {
	pids, err := numbers(list)
	l.selected = append(l.selected, func(p process.Info) bool { return slices.Contains(pids, p.PID) })
	return err
}

func (l *listing) parents(list string) error {
	pids, err := numbers(list)
	l.selected = append(l.selected, func(p process.Info) bool { return slices.Contains(pids, p.Parent) })
	return err
}

func (l *listing) names(list string) error {
	names := strings.Split(list, ",")
	l.selected = append(l.selected, func(p process.Info) bool { return slices.Contains(names, comm(p)) })
	return nil
}

// users selects all, since all are one user's, or none.
func (l *listing) users(list string) error {
	own := false
	self, _ := sys.Self()
	for name := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			uid, _, ok := sys.UserID(name)
			if !ok {
				return errors.New("user name does not exist")
			}
			id = uint64(uid)
		}
		own = own || id == uint64(self)
	}
	l.selected = append(l.selected, func(process.Info) bool { return own })
	return nil
}
