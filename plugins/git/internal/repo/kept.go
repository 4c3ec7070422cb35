package repo

// A kept holds what was read last, up to limit bytes in newer, and as many in older, so that
// what is asked for again and again stays. The bytes are lent: nobody may change them.
type kept[K comparable] struct {
	limit        int
	newer, older map[K][]byte
	size         int // bytes in newer
}

func (k *kept[K]) get(key K) ([]byte, bool) {
	if b, ok := k.newer[key]; ok {
		return b, true
	}
	b, ok := k.older[key]
	if ok {
		k.put(key, b)
	}
	return b, ok
}

func (k *kept[K]) put(key K, b []byte) {
	if k.newer == nil || k.size+len(b) > k.limit {
		k.newer, k.older, k.size = map[K][]byte{}, k.newer, 0
	}
	k.newer[key] = b
	k.size += len(b)
}
