package keeper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// serveAgain confines this process as o says, if it does, and has it execute itself again as
// a keeper. It returns only when that fails, and has told the host then.
//
// What confines is of a thread, and of those that it starts from then on. Go has other
// threads already, which would not be confined. After execve(2) there is only the one
// that has called it.
func serveAgain(s socket, o order, prepared *confine.Prepared) error {
	runtime.LockOSThread()
	err := o.Limits.InheritOpenFiles()
	switch {
	case err != nil:
	case o.Rules != nil:
		err = executeConfined(s, o, prepared)
	default:
		err = executeAgain(s, o, asLimited)
	}
	answer := message{Kind: failed}
	answer.setFault(err)
	s.send(answer)
	return err
}

func executeConfined(s socket, o order, prepared *confine.Prepared) error {
	available := confine.Available()
	report, questions, err := prepared.Apply(*o.Rules, o.Asks && available.Notify && available.GetFD)
	if err != nil {
		return err
	}
	report.Gaps = nil // which are many words, and the host knows them
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	var files []int
	if questions >= 0 {
		files = []int{questions}
	}
	err = s.send(message{Kind: confined, Text: string(text)}, files...)
	closeAll(files) // or it would not end with the host
	if err != nil {
		return err
	}
	return executeAgain(s, o, asConfined)
}

// executeAgain has this process execute itself as a keeper that was given its order.
func executeAgain(s socket, o order, as string) error {
	conn, err := s.file.SyscallConn()
	if err != nil {
		return err
	}
	var dupErr error
	err = conn.Control(func(fd uintptr) { dupErr = unix.Dup3(int(fd), 0, 0) })
	if err == nil {
		err = dupErr
	}
	if err != nil {
		return err
	}
	if err := os.Setenv(Env, as); err != nil {
		return err
	}
	text, err := json.Marshal(order{Limits: o.Limits, NoCgroup: o.NoCgroup})
	if err != nil {
		return err
	}
	if o.Rules != nil {
		rules, err := json.Marshal(o.Rules)
		if err != nil {
			return err
		}
		if err := os.Setenv(rulesEnv, string(rules)); err != nil {
			return err
		}
	}
	return os.NewSyscallError("execve", syscall.Exec("/proc/self/exe", append(helperArgv[:1:1], string(text)), os.Environ()))
}

// rulesEnv is the variable in which executeAgain hands on the rules. Unlike arguments,
// nobody else can read it.
const rulesEnv = "TERRARIUM_RULES"

// confinedRules are the rules that this process is confined to.
func confinedRules() (*confine.Rules, error) {
	r := new(confine.Rules)
	return r, json.Unmarshal([]byte(os.Getenv(rulesEnv)), r)
}

// ptyOf returns the path of the first pseudo-terminal among a command's streams, or "".
func ptyOf(files []int) string {
	for _, fd := range files {
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
			continue // to ask takes a tenth of what the link does
		}
		path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err != nil || filepath.Dir(path) != "/dev/pts" {
			continue
		}
		var open, named unix.Stat_t
		if unix.Fstat(fd, &open) == nil && unix.Lstat(path, &named) == nil && open.Dev == named.Dev && open.Ino == named.Ino {
			return path // and not another one, in another mount of them
		}
	}
	return ""
}

// handedOn is the order that executeAgain has handed on, but for its rules.
func handedOn() (o order, err error) {
	if len(os.Args) != 2 {
		return o, errMessage
	}
	return o, json.Unmarshal([]byte(os.Args[1]), &o)
}
