package repo

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// ErrNoIdentity says that nobody has said who commits.
var ErrNoIdentity = errors.New("unable to auto-detect email address")

// Identity returns who commits now; role is AUTHOR or COMMITTER.
func (r *Repo) Identity(role string) (Signature, error) {
	s := Signature{Name: os.Getenv("GIT_" + role + "_NAME"), Email: os.Getenv("GIT_" + role + "_EMAIL")}
	if s.Name == "" {
		s.Name, _ = r.Config.Get("user.name")
	}
	if s.Email == "" {
		s.Email, _ = r.Config.Get("user.email")
	}
	if s.Email == "" {
		s.Email = os.Getenv("EMAIL")
	}
	if s.Name == "" || s.Email == "" {
		return s, ErrNoIdentity
	}
	s.When = time.Now()
	if date := os.Getenv("GIT_" + role + "_DATE"); date != "" {
		var err error
		if s.When, err = ParseDate(date); err != nil {
			return s, err
		}
	}
	return s, nil
}

// dateForms are those that git reads and that people write; the zone may be missing.
var dateForms = []string{
	time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05",
	time.RFC1123Z, "Mon Jan 2 15:04:05 2006 -0700", "Mon Jan 2 15:04:05 2006", "2006-01-02",
}

// ParseDate reads a date as GIT_AUTHOR_DATE has it.
func ParseDate(s string) (time.Time, error) {
	if seconds, zone, ok := strings.Cut(strings.TrimPrefix(s, "@"), " "); ok {
		n, err := strconv.ParseInt(seconds, 10, 64)
		z, err2 := time.Parse("-0700", zone)
		if err == nil && err2 == nil {
			return time.Unix(n, 0).In(z.Location()), nil
		}
	}
	for _, form := range dateForms {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("invalid date format: " + s)
}
