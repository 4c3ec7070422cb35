//go:build !wasip1

package http

import "io"

func supported() bool { return false }

func open() (io.ReadWriteCloser, error) { return nil, errNone }
