//go:build !linux && !darwin

package guard
