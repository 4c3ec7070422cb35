package confine

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// foreignCall makes a call of 32-bit programs, and one with the numbers of x32.
func foreignCall(a arena) error {
	const x32Getpid = 1<<30 | unix.SYS_GETPID
	if err := call(x32Getpid); err == nil {
		return nil
	}
	// mov $1,%eax (exit), xor %ebx,%ebx, int $0x80, in a program of 64 bits.
	code := "\xb8\x01\x00\x00\x00\x31\xdb\xcd\x80"
	elf := "\x7fELF\x02\x01\x01" + zeros(9) + "\x02\x00\x3e\x00\x01\x00\x00\x00" + "\x78\x00\x40\x00\x00\x00\x00\x00" +
		"\x40\x00\x00\x00\x00\x00\x00\x00" + zeros(8) + zeros(4) + "\x40\x00\x38\x00\x01\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x00\x00\x00\x05\x00\x00\x00" + zeros(8) + "\x00\x00\x40\x00\x00\x00\x00\x00" + "\x00\x00\x40\x00\x00\x00\x00\x00" +
		"\x81\x00\x00\x00\x00\x00\x00\x00" + "\x81\x00\x00\x00\x00\x00\x00\x00" + "\x00\x10\x00\x00\x00\x00\x00\x00"
	file := a.path("private/foreign")
	if err := os.WriteFile(file, []byte(elf+code), 0o700); err != nil {
		return err
	}
	err := start(exec.Command(file))
	if err != nil && err.Error() == "SIGSEGV" {
		// A kernel without these calls (ia32_emulation=0) leaves no way in for the instruction: the
		// processor ends the program there, and nothing is left to refuse.
		return unix.ENOSYS
	}
	return err
}

func zeros(n int) string { return string(make([]byte, n)) }
