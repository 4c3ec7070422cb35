//go:build (linux || darwin) && !(linux && (amd64 || arm64))

package worker

// watchCalls does nothing here: workers send no such file.
func (c *child) watchCalls() {}
