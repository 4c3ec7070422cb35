package fleet

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/nats-io/jwt/v2"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// A Role is what credentials are for.
type Role int

const (
	// AnyRole is of credentials that we have not made: the server says what they allow.
	AnyRole Role = iota
	// UserRole is to have sessions placed.
	UserRole
	// WorkerRole is to run them, and to have workers drain.
	WorkerRole
)

// of names whose they are: "a user's".
func (r Role) of() string {
	return [...]string{"anybody's", "a user's", "a worker's"}[r]
}

// An identity is what credentials say of who has them.
type identity struct {
	key    string // the public nkey
	name   string
	tenant string // "": it does not say
	role   Role
}

// tenantTag is how a tag of credentials begins that says whose they are.
const tenantTag = "tenant:"

// identityOf reads a file of credentials.
func identityOf(path string) (*identity, error) {
	b, err := private.ReadGiven(path, maxCreds)
	if err != nil {
		return nil, err
	}
	token, err := jwt.ParseDecoratedJWT(b)
	if err != nil {
		return nil, fmt.Errorf("%s: no credentials in it", path)
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return nil, fmt.Errorf("%s: no credentials of a user in it", path)
	}
	who := &identity{key: claims.Subject, name: claims.Name, role: roleOf(claims)}
	for _, tag := range claims.Tags {
		if tenant, ok := strings.CutPrefix(tag, tenantTag); ok && CheckName(tenant) == nil {
			who.tenant = tenant
		}
	}
	return who, nil
}

// roleOf tells what credentials are for by what only such a role may do.
func roleOf(claims *jwt.UserClaims) Role {
	may := claims.Permissions.Pub.Allow
	switch {
	case may.Contains(ClaimSubject("*", "*")):
		return WorkerRole
	case may.Contains(RequestSubject("*", claims.Subject)):
		return UserRole
	}
	return AnyRole
}

// check says why these can't be the credentials of somebody with that role.
func (i *identity) check(path string, want Role) error {
	if want == AnyRole || i.role == AnyRole || i.role == want {
		return nil
	}
	flag := "--user"
	if want == WorkerRole {
		flag = "--worker"
	}
	return fmt.Errorf("%s: these are %s, %s: this needs %s, as \"terrarium fleet tenant add %s %s NAME\" makes", path, i.role.of(), i.name, want.of(), cmp.Or(i.tenant, "TENANT"), flag)
}
