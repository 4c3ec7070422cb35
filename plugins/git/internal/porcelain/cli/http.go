package cli

import "github.com/terrarium-dev/terrarium/plugins/http"

// HTTP is what fetches: the host, from where a person has allowed it. Tests, which run without that
// host, put another in its place.
var HTTP = http.Do
