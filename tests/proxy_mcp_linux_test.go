package tests

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProxyToolsAgainstUsers has another user connect who knows the token, where the directory does
// not keep it out.
func TestProxyToolsAgainstUsers(t *testing.T) {
	nativeHost(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	l, dir := withTools(t)
	l.initialize("test")
	server := l.newSession()
	for name := server.socket(); len(name) >= len(dir); name = filepath.Dir(name) {
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	const nobody, same = 65534, ^uintptr(0)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, nobody, same); errno != 0 {
		t.Fatal(errno)
	}
	conn, err := net.Dial("unix", server.socket())
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, 0, same); errno != 0 {
		panic(errno)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience)) // or the test hangs where it is served
	io.WriteString(conn, server.token()+"\n")  // it may be closed by now
	if text, _ := io.ReadAll(conn); len(text) > 0 {
		t.Errorf("got %q, want nothing", text)
	}
	eventually(t, func() bool { return strings.Contains(l.stderr.String(), "it is of user 65534") })
}
