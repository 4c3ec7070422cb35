package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A parsed is what the chain needs of a line.
type parsed struct {
	Seq   uint64 `json:"seq"`
	Event Kind   `json:"event"`
	Torn  torn   `json:"torn"`

	prev, hash string
}

// parse reads a line without its newline. The error says what is wrong with it.
func parse(line []byte) (p parsed, wrong string) {
	const tail = len(prevKey) + hashLen + len(hashKey) + hashLen + len(`"}`)
	if len(line) < tail || len(line) >= maxLine {
		return p, "it is no line of a record"
	}
	end := line[len(line)-tail:]
	prev, rest := cutHash(end, prevKey)
	hash, rest := cutHash(rest, hashKey)
	if prev == "" || hash == "" || string(rest) != `"}` {
		return p, "it is no line of a record"
	}
	sum := sha256.Sum256(line[:len(line)-len(hashKey)-hashLen-len(`"}`)])
	if hex.EncodeToString(sum[:]) != hash {
		return p, "it was changed: its hash does not fit"
	}
	if json.Unmarshal(line, &p) != nil {
		return p, "it is no JSON object"
	}
	p.prev, p.hash = prev, hash
	return p, ""
}

// cutHash returns the hash that comes after key.
func cutHash(p []byte, key string) (hash string, rest []byte) {
	p, ok := bytes.CutPrefix(p, []byte(key))
	if !ok || len(p) < hashLen {
		return "", nil
	}
	return string(p[:hashLen]), p[hashLen:]
}

// An end is where a record goes on.
type end struct {
	seq  uint64
	hash string
	torn torn // what is there after the last whole line
	open bool // that line has no line break yet
}

// findEnd looks for the last whole line in tail, in which a file ends. all says that it is the
// whole file. ok is false if there is none.
func findEnd(tail []byte, all bool) (e end, ok bool) {
	last := tail[bytes.LastIndexByte(tail, '\n')+1:]
	if p, wrong := parse(last); wrong == "" && (all || len(last) < len(tail)) {
		return end{seq: p.Seq, hash: p.hash, open: true}, true
	}
	rest := tail
	for {
		i := bytes.LastIndexByte(rest, '\n')
		if i < 0 {
			break
		}
		begin := bytes.LastIndexByte(rest[:i], '\n') + 1
		if p, wrong := parse(rest[begin:i]); wrong == "" {
			return end{seq: p.Seq, hash: p.hash, torn: tornOf(tail[i+1:])}, true
		}
		rest = rest[:i]
	}
	// A first line that was not written whole is a record's all the same.
	if all && (len(tail) == 0 || len(tail) < maxLine && bytes.HasPrefix(tail, []byte(`{"seq":1,`)) && !bytes.Contains(tail, []byte{'\n'})) {
		return end{hash: noHash, torn: tornOf(tail)}, true
	}
	return end{}, false
}

func tornOf(p []byte) torn {
	if len(p) == 0 {
		return torn{}
	}
	sum := sha256.Sum256(p)
	return torn{int64(len(p)), hex.EncodeToString(sum[:])}
}
