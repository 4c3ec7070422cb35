//go:build darwin

package worker

func giveUpPrivileges()         {}
func giveUpCapabilities() error { return nil }
