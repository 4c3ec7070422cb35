//go:build linux || darwin

package hostnative

func supported() error { return nil }
