package sys

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// UserName returns the name of a user, or the number if it has none. User 0 is root even where
// nobody says so.
func UserName(uid uint32) string { return name("/etc/passwd", uid) }

// GroupName is UserName for groups.
func GroupName(gid uint32) string { return name("/etc/group", gid) }

// UserID returns the number of a user and its group.
func UserID(user string) (uid, gid uint32, ok bool) {
	f := entry("/etc/passwd", func(f []string) bool { return f[0] == user })
	if len(f) < 4 {
		return 0, 0, user == "root"
	}
	u, _ := strconv.ParseUint(f[2], 10, 32)
	g, _ := strconv.ParseUint(f[3], 10, 32)
	return uint32(u), uint32(g), true
}

// GroupID returns the number of a group.
func GroupID(group string) (uint32, bool) {
	f := entry("/etc/group", func(f []string) bool { return f[0] == group })
	if f == nil {
		return 0, group == "root"
	}
	g, _ := strconv.ParseUint(f[2], 10, 32)
	return uint32(g), true
}

func name(file string, id uint32) string {
	number := strconv.FormatUint(uint64(id), 10)
	if f := entry(file, func(f []string) bool { return f[2] == number }); f != nil {
		return f[0]
	}
	if id == 0 {
		return "root"
	}
	return number
}

// entry returns the first line of a file such as /etc/passwd that match accepts, taken apart at its
// colons.
func entry(file string, match func([]string) bool) []string {
	r, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer r.Close()
	for s := bufio.NewScanner(r); s.Scan(); {
		if f := strings.Split(s.Text(), ":"); len(f) >= 3 && match(f) {
			return f
		}
	}
	return nil
}
