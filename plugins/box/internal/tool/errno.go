package tool

import (
	"errors"
	"io/fs"
	"strconv"
	"syscall"
)

// Strerror is what glibc says of an error. Go's own texts differ in case on Linux and in words on
// wasip1.
func Strerror(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if s, ok := messages[errno]; ok {
			return s
		}
		return "Unknown error " + strconv.Itoa(int(errno))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return messages[syscall.ENOENT]
	case errors.Is(err, fs.ErrExist):
		return messages[syscall.EEXIST]
	case errors.Is(err, fs.ErrPermission):
		return messages[syscall.EACCES]
	case errors.Is(err, fs.ErrClosed):
		return messages[syscall.EBADF]
	}
	return err.Error()
}

var messages = map[syscall.Errno]string{
	syscall.E2BIG:        "Argument list too long",
	syscall.EACCES:       "Permission denied",
	syscall.EAGAIN:       "Resource temporarily unavailable",
	syscall.EBADF:        "Bad file descriptor",
	syscall.EBUSY:        "Device or resource busy",
	syscall.ECHILD:       "No child processes",
	syscall.EDQUOT:       "Disk quota exceeded",
	syscall.EEXIST:       "File exists",
	syscall.EFAULT:       "Bad address",
	syscall.EFBIG:        "File too large",
	syscall.EINTR:        "Interrupted system call",
	syscall.EINVAL:       "Invalid argument",
	syscall.EIO:          "Input/output error",
	syscall.EISDIR:       "Is a directory",
	syscall.ELOOP:        "Too many levels of symbolic links",
	syscall.EMFILE:       "Too many open files",
	syscall.EMLINK:       "Too many links",
	syscall.ENAMETOOLONG: "File name too long",
	syscall.ENFILE:       "Too many open files in system",
	syscall.ENODEV:       "No such device",
	syscall.ENOENT:       "No such file or directory",
	syscall.ENOEXEC:      "Exec format error",
	syscall.ENOMEM:       "Cannot allocate memory",
	syscall.ENOSPC:       "No space left on device",
	syscall.ENOSYS:       "Function not implemented",
	syscall.ENOTDIR:      "Not a directory",
	syscall.ENOTEMPTY:    "Directory not empty",
	syscall.ENOTSUP:      "Operation not supported",
	syscall.ENXIO:        "No such device or address",
	syscall.EOVERFLOW:    "Value too large for defined data type",
	syscall.EPERM:        "Operation not permitted",
	syscall.EPIPE:        "Broken pipe",
	syscall.ERANGE:       "Numerical result out of range",
	syscall.EROFS:        "Read-only file system",
	syscall.ESPIPE:       "Illegal seek",
	syscall.ESRCH:        "No such process",
	syscall.ETIMEDOUT:    "Connection timed out",
	syscall.ETXTBSY:      "Text file busy",
	syscall.EXDEV:        "Invalid cross-device link",
}
