package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Labels are what a worker has, or what a request wants of one.
type Labels map[string]string

const (
	// maxLabels is how many a worker has. It pulls from a pool for each choice of them, 32 at most.
	maxLabels   = 5
	maxLabelLen = 63 // bytes of a name or a value, as Kubernetes has them
)

// ParseLabels reads K=V of each.
func ParseLabels(list []string) (Labels, error) {
	labels := make(Labels)
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		switch _, double := labels[key]; {
		case !ok, !isLabel(key), !isLabel(value):
			return nil, fmt.Errorf("%.80q: want NAME=VALUE, of letters, digits and -_./", text)
		case double:
			return nil, fmt.Errorf("%s is there twice", key)
		}
		labels[key] = value
	}
	if len(labels) > maxLabels {
		return nil, fmt.Errorf("%d labels, want at most %d", len(labels), maxLabels)
	}
	return labels, nil
}

func isLabel(s string) bool {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./", r))
	}
	return s != "" && len(s) <= maxLabelLen && strings.IndexFunc(s, odd) < 0
}

// String returns the labels as they are typed, in order, with commas between.
func (l Labels) String() string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(l)) {
		list = append(list, key+"="+l[key])
	}
	return strings.Join(list, ",")
}

// satisfy reports whether a worker that has l has all that is wanted.
func (l Labels) satisfy(wanted Labels) bool {
	for key, value := range wanted {
		if has, ok := l[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// pool returns the name of the pool where requests for these labels wait.
func (l Labels) pool() string {
	if len(l) == 0 {
		return DefaultPool
	}
	sum := sha256.Sum256([]byte(l.String()))
	return "labels-" + hex.EncodeToString(sum[:10])
}

// pools returns the pools that a worker with these labels takes from: one for each choice of them,
// that of no label first.
func (l Labels) pools() []string {
	keys := slices.Sorted(maps.Keys(l))
	var list []string
	for choice := range 1 << len(keys) {
		some := make(Labels)
		for i, key := range keys {
			if choice>>i&1 == 1 {
				some[key] = l[key]
			}
		}
		list = append(list, some.pool())
	}
	return list
}
