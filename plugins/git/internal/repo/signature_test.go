package repo

import (
	"testing"
	"time"

	"github.com/go-git/go-git/v6/plumbing"
)

func TestDecodeSignature(t *testing.T) {
	for _, test := range []struct{ in, name, email, when string }{
		{"A U Thor <author@example.org> 1700000000 +0130", "A U Thor", "author@example.org", "2023-11-14T23:43:20+01:30"},
		{"A <a> 1700000000 -0030", "A", "a", "2023-11-14T21:43:20-00:30"},
		{"<> 1 +0000", "", "", "1970-01-01T00:00:01Z"},
		{"A <b> <c> 1700000000 -0800", "A <b>", "c", "2023-11-14T14:13:20-08:00"},
		{"A <a> 1700000000", "A", "a", "2023-11-14T22:13:20Z"},
		{"A <a> 1700000000 +x130", "A", "a", "2023-11-14T22:13:20Z"},
		{"A <a> soon", "A", "a", "0001-01-01T00:00:00Z"},
		{"A <a>", "A", "a", "0001-01-01T00:00:00Z"},
		{"A >a<", "", "", "0001-01-01T00:00:00Z"},
		{"", "", "", "0001-01-01T00:00:00Z"},
	} {
		s := decodeSignature([]byte(test.in))
		if when := s.When.Format(time.RFC3339); s.Name != test.name || s.Email != test.email || when != test.when {
			t.Errorf("%q: got %q, %q, %s", test.in, s.Name, s.Email, when)
		}
	}
}

// TestTag reads tags as git writes them, and others.
func TestTag(t *testing.T) {
	const of = "object 0123456789012345678901234567890123456789\ntype commit\n"
	r := newRepo(t)
	for _, test := range []struct{ body, name, tagger, message string }{
		{of + "tag v1\ntagger A <a> 1 +0000\n\nwords\n\nmore\n", "v1", "A <a>", "words\n\nmore\n"},
		{of + "tag v2\n\nwords\n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n", "v2", " <>", "words\n"},
		{of + "tag v3\n\n-----BEGIN SSH SIGNATURE-----\nx\n-----BEGIN SSH SIGNATURE-----\n", "v3", " <>", "-----BEGIN SSH SIGNATURE-----\nx\n"},
		{of + "tag v4\n\n it says -----BEGIN PGP SIGNATURE-----", "v4", " <>", " it says -----BEGIN PGP SIGNATURE-----"},
		{of + "tag v5", "v5", " <>", ""},
	} {
		h, err := r.Write(plumbing.TagObject, []byte(test.body))
		if err != nil {
			t.Fatal(err)
		}
		tag, err := r.Tag(h)
		if err != nil {
			t.Errorf("%q: %v", test.body, err)
			continue
		}
		if tag.Name != test.name || tag.Tagger.String() != test.tagger || tag.Message != test.message || tag.Target.String() != of[7:47] {
			t.Errorf("%q: got %+v", test.body, tag)
		}
	}
	for _, body := range []string{"", "type commit\n", "object 01\n"} {
		h, err := r.Write(plumbing.TagObject, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if tag, err := r.Tag(h); err == nil {
			t.Errorf("%q: got %+v", body, tag)
		}
	}
}
