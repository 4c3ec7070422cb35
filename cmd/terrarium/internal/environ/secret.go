package environ

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Words of a name that say that its value is a secret: those that do wherever they stand in a word,
// as in "PGPASSWORD", those that do at its end, as in "APIKEY" but not "KEYBOARD", and those that
// do alone.
var (
	secretParts  = []string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "PRIVATEKEY", "APIKEY", "KEYSTORE"}
	secretEnds   = []string{"KEY", "KEYS", "AUTH", "CERT", "CERTS", "CRED", "CREDS", "PRIVATE", "KEYFILE", "CERTFILE"}
	secretAlone  = []string{"PASS", "PWD", "PAT", "JWT", "BEARER", "COOKIE", "COOKIES", "AUTHORIZATION", "DSN"}
	maxNameBytes = 256
)

// secretName reports whether a variable of this name probably holds a secret.
func secretName(name string) bool {
	if len(name) > maxNameBytes {
		return true // nobody has such a name
	}
	if name == "PWD" || name == "OLDPWD" { // directories
		return false
	}
	for _, word := range words(name) {
		if slices.Contains(secretAlone, word) ||
			slices.ContainsFunc(secretParts, func(s string) bool { return strings.Contains(word, s) }) ||
			slices.ContainsFunc(secretEnds, func(s string) bool { return strings.HasSuffix(word, s) }) {
			return true
		}
	}
	return false
}

// words returns the words of a name in capitals, without digits: "npm_config__authToken" is NPM,
// CONFIG, AUTH, TOKEN. Words in capitals that touch are one.
func words(name string) (list []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			list, word = append(list, string(word)), nil
		}
	}
	lower := false // the letter before
	for _, r := range name {
		if !unicode.IsLetter(r) {
			end()
			lower = false
			continue
		}
		if unicode.IsUpper(r) && lower {
			end()
		}
		lower = unicode.IsLower(r)
		word = append(word, unicode.ToUpper(r))
	}
	end()
	return list
}

// secretShapes are how secrets look, whatever they are called. They are compiled when
// they are needed, which takes longer than many commands do.
var secretShapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`-----BEGIN `, // PEM
		// a URL with a password
		`(?i:[a-z][a-z0-9+.-]*://[^\s/@]*:[^\s@]+@)`,
		`(?i:[a-z][a-z0-9+.-]*://[^\s/@:]{20,}@)`, // a URL with a token
		// options that have one
		`(?i:(?:passw(?:or)?d|passphrase|secret|token|api_?key)\s*[=:]\s*[^\s;,]+)`,
		`(?i:\b(?:bearer|basic)\s+[a-z0-9+/=._~-]{16,})`,           // headers
		`gh[a-z]_[A-Za-z0-9]{20,}`, `github_pat_[A-Za-z0-9_]{20,}`, // GitHub
		`gl[a-z]{2,5}-[A-Za-z0-9_-]{16,}`,                    // GitLab
		`(?:AKIA|ASIA)[A-Z0-9]{12,}`,                         // AWS
		`AIza[A-Za-z0-9_-]{30,}`, `ya29\.[A-Za-z0-9_-]{20,}`, // Google
		`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.`,          // JSON web tokens
		`[rsp]k_(?:live|test)_[A-Za-z0-9]{8,}`,               // Stripe
		`xox[a-z]-[A-Za-z0-9-]{8,}`, `xapp-[A-Za-z0-9-]{8,}`, // Slack
		// models' keys: sk-ant-, sk-proj-
		`\bsk-[A-Za-z0-9_-]{16,}`,
		`npm_[A-Za-z0-9]{30,}`, `pypi-[A-Za-z0-9_-]{30,}`, `\bcio[A-Za-z0-9]{30,}`, // registries
		`hf_[A-Za-z0-9]{20,}`, `hvs\.[A-Za-z0-9_-]{20,}`, `dckr_pat_[A-Za-z0-9_-]{16,}`, `dop_v1_[a-f0-9]{30,}`, `SG\.[A-Za-z0-9_-]{16,}\.`,
		`AGE-SECRET-KEY-1`, `\bsshpass\s+-p`,
	}, "|"))
})

// secretValue reports whether a value looks like a secret, or has one in it.
func secretValue(value string) bool { return secretShapes().MatchString(value) }
