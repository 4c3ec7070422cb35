//go:build !linux && !darwin

package audit

import (
	"errors"
	"fmt"
	"os"
)

var errNoLog = fmt.Errorf("records in files: %w", errors.ErrUnsupported)

func (l *Log) lock() error         { return errNoLog }
func (l *Log) unlock()             {}
func (l *Log) rotate(*Event) error { return errNoLog }

// Files opens the files of a record for reading, the oldest first.
func Files(string) ([]*os.File, error) { return nil, errNoLog }
