package keeper

import (
	"encoding/json"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// serveConfined confines this process as m says, and has it execute itself again as a
// keeper. It returns only when that fails, and has told the host then.
//
// What confines is of a thread, and of those that it starts from then on. Go has other
// threads already, which would not be confined. After execve(2) there is only the one
// that has called it.
func serveConfined(s socket, m message) error {
	runtime.LockOSThread()
	err := executeConfined(s, m)
	answer := message{Kind: failed}
	answer.setFault(err)
	s.send(answer)
	return err
}

func executeConfined(s socket, m message) error {
	var rules confine.Rules
	if err := json.Unmarshal([]byte(m.Text), &rules); err != nil {
		return err
	}
	report, _, err := confine.Apply(rules, false)
	if err != nil {
		return err
	}
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if err := s.send(message{Kind: confined, Text: string(text)}); err != nil {
		return err
	}
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
	if err := os.Setenv(Env, asConfined); err != nil {
		return err
	}
	return os.NewSyscallError("execve", syscall.Exec("/proc/self/exe", helperArgv, os.Environ()))
}
