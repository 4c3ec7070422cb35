//go:build !linux && !darwin

package main

import (
	"errors"
	"net"
)

func peerUser(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }
