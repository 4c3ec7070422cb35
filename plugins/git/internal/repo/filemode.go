//go:build !wasip1

package repo

// fileMode is core.fileMode of a new repository.
const fileMode = "true"
