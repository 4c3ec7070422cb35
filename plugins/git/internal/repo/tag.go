package repo

import (
	"bytes"
	"fmt"

	"github.com/go-git/go-git/v6/plumbing"
)

// A Tag is an annotated one.
type Tag struct {
	Name    string
	Target  plumbing.Hash
	Tagger  Signature
	Message string // without what signs it
}

// WriteTag stores an annotated tag of a commit.
func (r *Repo) WriteTag(name string, target plumbing.Hash, tagger Signature, message string) (plumbing.Hash, error) {
	return r.Write(plumbing.TagObject,
		fmt.Appendf(nil, "object %s\ntype commit\ntag %s\ntagger %s\n\n%s", target, name, signature(tagger), message))
}

// Tag returns the annotated tag.
func (r *Repo) Tag(h plumbing.Hash) (*Tag, error) {
	b, err := r.read(plumbing.TagObject, h)
	if err != nil {
		return nil, err
	}
	t := &Tag{}
	if t.Target, err = tagged(b); err != nil {
		return nil, err
	}
	for len(b) > 0 {
		var line []byte
		if line, b, _ = bytes.Cut(b, []byte("\n")); len(line) == 0 {
			break // the message follows
		}
		key, value, _ := bytes.Cut(line, []byte(" "))
		switch string(key) {
		case "tag":
			t.Name = string(value)
		case "tagger":
			t.Tagger = decodeSignature(value)
		}
	}
	t.Message = string(unsigned(b))
	return t, nil
}

// tagged returns what an annotated tag is of.
func tagged(tag []byte) (plumbing.Hash, error) {
	line, _, _ := bytes.Cut(tag, []byte("\n"))
	name, ok := bytes.CutPrefix(line, []byte("object "))
	h, isHash := hashOf(name)
	if !ok || !isHash {
		return Zero, fmt.Errorf("malformed tag: %w", ErrUnknown)
	}
	return h, nil
}

// signs is what a signature begins with.
var signs = []string{
	"-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP MESSAGE-----",
	"-----BEGIN SIGNED MESSAGE-----", "-----BEGIN SSH SIGNATURE-----",
}

// unsigned returns a message up to its last signature.
func unsigned(message []byte) []byte {
	end := len(message)
	for at := 0; at < len(message); {
		line, _, _ := bytes.Cut(message[at:], []byte("\n"))
		for _, s := range signs {
			if bytes.HasPrefix(line, []byte(s)) {
				end = at
			}
		}
		at += len(line) + 1
	}
	return message[:end]
}
