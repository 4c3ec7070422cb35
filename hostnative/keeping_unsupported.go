//go:build !linux && !darwin

package hostnative

import "errors"

// A keeping is what a Host has its commands kept by. Here it has none.
type keeping struct{}

func newKeeping(Config) *keeping { return nil }

func (k *keeping) prepare(*confiner)   {}
func (k *keeping) close()              {}
func (k *keeping) confines() error     { return errors.ErrUnsupported }
func (k *keeping) limited() error      { return errors.ErrUnsupported }
func (k *keeping) report() []Mechanism { return nil }
