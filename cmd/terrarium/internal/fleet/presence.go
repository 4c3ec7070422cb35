package fleet

import (
	"encoding/json"
	"unicode/utf8"
)

// A Presence is what a worker says of itself, every two seconds.
type Presence struct {
	Name     string `json:"name"`
	Instance string `json:"instance"` // of its process, new for each
	Slots    int    `json:"slots"`
	Used     int    `json:"used"`
	Labels   Labels `json:"labels,omitempty"`
	Draining bool   `json:"draining,omitempty"`
	Failing  bool   `json:"failing,omitempty"` // it takes no sessions until that is over
}

const (
	maxPresence = 4 << 10 // bytes
	// MaxSlots is how many sessions a worker has at once.
	MaxSlots = 10_000
)

// ParsePresence reads what a worker has said. The error says that no worker says so.
func ParsePresence(b []byte) (p Presence, err error) {
	if len(b) > maxPresence || !utf8.Valid(b) {
		return p, errMessage
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return Presence{}, errMessage
	}
	if CheckName(p.Name) != nil || !isSession(p.Instance) || p.Slots < 1 || p.Slots > MaxSlots || p.Used < 0 || p.Used > p.Slots || len(p.Labels) > maxLabels {
		return Presence{}, errMessage
	}
	for key, value := range p.Labels {
		if !isLabel(key) || !isLabel(value) {
			return Presence{}, errMessage
		}
	}
	return p, nil
}
