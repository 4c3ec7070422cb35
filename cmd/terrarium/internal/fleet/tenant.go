package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// Limits are what a tenant may have at once. None is unlimited: zero is the default.
type Limits struct {
	Connections int64 `json:"connections"` // 1,000
	Memory      int64 `json:"memory"`      // bytes of JetStream in memory: 16 MiB
	Disk        int64 `json:"disk"`        // bytes of JetStream on the disk: 64 MiB
	Payload     int64 `json:"payload"`     // bytes of a message: 1 MiB
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	return Limits{
		Connections: orDefault(l.Connections, 1000),
		Memory:      orDefault(l.Memory, 16<<20),
		Disk:        orDefault(l.Disk, 64<<20),
		Payload:     orDefault(l.Payload, maxPayload),
	}
}

func orDefault(n, without int64) int64 {
	if n <= 0 {
		return without
	}
	return n
}

// What no tenant has more of, because the server keeps each in memory.
const (
	subscriptions = 64 // for each connection that the tenant may have
	streams       = 16
	consumers     = 1024
	maxKnown      = 2000 // users and workers of a tenant, with those that were removed
)

// A Tenant is a NATS account.
type Tenant struct {
	Name    string   `json:"name"`
	Account string   `json:"account"` // its public nkey
	Limits  Limits   `json:"limits"`
	Users   []string `json:"users"`   // names
	Workers []string `json:"workers"` // names
}

// DefaultTenant is what a fleet has whose owner has named none.
const DefaultTenant = "default"

// ErrNoTenant is why nothing can be done to a tenant.
var ErrNoTenant = errors.New("there is no such tenant")

// Tenants are those in a state directory, which nobody else can change until Close. Its methods are
// for one goroutine.
type Tenants struct {
	dir    string
	keys   *keyring
	server *control // nil: no server runs
	unlock []func()
}

// IsAt reports whether dir is the state directory of a fleet.
func IsAt(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, tenantsDir))
	return !errors.Is(err, fs.ErrNotExist)
}

// OpenTenants opens those in dir, whether a server runs there or not. A new directory has none.
func OpenTenants(ctx context.Context, dir string) (_ *Tenants, err error) {
	t := &Tenants{dir: dir}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	if err := private.MkdirAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, tenantsDir), 0o700); err != nil {
		return nil, err
	}
	if err := patiently(ctx, func() error { return t.lock(filepath.Join(dir, tenantsDir)) }); err != nil {
		return nil, err
	}
	// Who serves them has the directory locked. A server that is just starting says where it is in
	// a moment, and one that is just ending lets go of the lock.
	return t, patiently(ctx, func() error {
		err := t.lock(dir)
		if err == nil {
			t.keys, err = openKeyring(dir)
			return err
		}
		if !errors.Is(err, errLocked) {
			return err
		}
		if t.server, err = findServer(dir); err != nil {
			return err
		}
		if t.keys, err = openKeyring(dir); err != nil {
			return err
		}
		if err := t.server.connect(t.keys.system); err != nil {
			return fmt.Errorf("%w (%w)", errLocked, err)
		}
		return nil
	})
}

// lock locks a directory until Close.
func (t *Tenants) lock(dir string) error {
	unlock, err := lock(dir)
	if err == nil {
		t.unlock = append(t.unlock, unlock)
	}
	return err
}

// Close lets others change the tenants.
func (t *Tenants) Close() {
	t.server.close()
	for _, unlock := range t.unlock {
		unlock()
	}
	t.unlock = nil
}

// List returns all tenants, by name.
func (t *Tenants) List() ([]Tenant, error) {
	names, err := tenantNames(t.dir)
	if err != nil {
		return nil, err
	}
	list := []Tenant{}
	for _, name := range names {
		tenant, err := t.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, *tenant)
	}
	return list, nil
}

// tenantNames returns the names of all tenants in a state directory, in order.
func tenantNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, tenantsDir))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if CheckName(e.Name()) == nil && e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Find returns a tenant. The error is ErrNoTenant if there is none of that name.
func (t *Tenants) Find(name string) (*Tenant, error) {
	claims, _, err := t.account(name)
	if err != nil {
		return nil, err
	}
	found := &Tenant{
		Name: name, Account: claims.Subject, Users: []string{}, Workers: []string{},
		Limits: Limits{claims.Limits.Conn, claims.Limits.MemoryStorage, claims.Limits.DiskStorage, claims.Limits.Payload},
	}
	for _, of := range claims.Tags {
		if worker, ok := strings.CutPrefix(of, workerTag); ok {
			found.Workers = append(found.Workers, nameInTag(worker))
		} else if user, ok := strings.CutPrefix(of, userTag); ok {
			found.Users = append(found.Users, nameInTag(user))
		}
	}
	slices.Sort(found.Users)
	slices.Sort(found.Workers)
	return found, nil
}

// An account's tags have its credentials: the kind, the public nkey in small letters, as tags are,
// and the name. So the account alone says who can be revoked.
const (
	userTag   = "user:"
	workerTag = "worker:"
)

func tagOf(kind, key, name string) string { return kind + strings.ToLower(key) + ":" + name }

func nameInTag(rest string) string { return rest[strings.IndexByte(rest, ':')+1:] }

// taggedKey returns the tag of who has that name, and the public nkey.
func taggedKey(tags jwt.TagList, name string) (tag, key string) {
	for _, tag := range tags {
		kind, rest, _ := strings.Cut(tag, ":")
		key, has, ok := strings.Cut(rest, ":")
		if ok && has == name && (kind+":" == userTag || kind+":" == workerTag) {
			return tag, strings.ToUpper(key)
		}
	}
	return "", ""
}

// account returns what is signed of a tenant, and the key that signs its credentials.
func (t *Tenants) account(name string) (*jwt.AccountClaims, nkeys.KeyPair, error) {
	if err := CheckName(name); err != nil {
		return nil, nil, err
	}
	pair, err := readSeed(filepath.Join(t.dir, tenantsDir, name, accountFile), nkeys.PrefixByteAccount)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: %w", name, ErrNoTenant)
	}
	if err != nil {
		return nil, nil, err
	}
	key, err := pair.PublicKey()
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(t.dir, accountsDir, key+accountSuffix)
	token, err := readPrivate(file)
	if err != nil {
		return nil, nil, err
	}
	claims, err := jwt.DecodeAccountClaims(string(token))
	if err != nil || claims.Subject != key || claims.Issuer != t.keys.operatorKey {
		return nil, nil, fmt.Errorf("%s is damaged: it is not the account of tenant %s", file, name)
	}
	return claims, pair, nil
}

// Add makes a tenant that is not there yet.
func (t *Tenants) Add(ctx context.Context, name string, l Limits) error {
	if err := CheckName(name); err != nil {
		return err
	}
	dir := filepath.Join(t.dir, tenantsDir, name)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("tenant %s is there already", name)
		}
		return err
	}
	// It has its name when all of it is there.
	making, err := os.MkdirTemp(filepath.Join(t.dir, tenantsDir), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(making)
	pair, err := makeSeed(filepath.Join(making, accountFile), nkeys.PrefixByteAccount)
	if err != nil {
		return err
	}
	key, err := pair.PublicKey()
	if err != nil {
		return err
	}
	claims := jwt.NewAccountClaims(key)
	claims.Name = name
	l = l.withDefaults()
	claims.Limits.Conn = l.Connections
	claims.Limits.LeafNodeConn = 0
	claims.Limits.Subs = l.Connections * subscriptions
	claims.Limits.Payload = l.Payload
	claims.Limits.Imports, claims.Limits.Exports, claims.Limits.WildcardExports = 0, 0, false
	claims.Limits.DisallowBearer = true
	claims.Limits.MemoryStorage, claims.Limits.DiskStorage = l.Memory, l.Disk
	claims.Limits.Streams, claims.Limits.Consumer = streams, consumers
	if err := t.put(ctx, claims); err != nil {
		return err
	}
	if t.server != nil {
		if err := t.server.prepare(ctx, pair); err != nil {
			return fmt.Errorf("tenant %s: its queue: %w", name, err)
		}
	}
	return os.Rename(making, dir)
}

// put has the server know an account, now or when it starts.
func (t *Tenants) put(ctx context.Context, claims *jwt.AccountClaims) error {
	if t.server == nil {
		return t.keys.writeAccount(t.dir, claims)
	}
	token, err := claims.Encode(t.keys.operator)
	if err != nil {
		return err
	}
	return t.server.update(ctx, token)
}

// AddUser makes the credentials of a user of a tenant, and returns the file that they are in.
func (t *Tenants) AddUser(ctx context.Context, tenant, name string) (file string, err error) {
	return t.addCreds(ctx, tenant, name, userTag, userPermissions)
}

// AddWorker does so for workers. Those that share them could listen to each other's sessions.
func (t *Tenants) AddWorker(ctx context.Context, tenant, name string) (file string, err error) {
	return t.addCreds(ctx, tenant, name, workerTag, workerPermissions)
}

func (t *Tenants) addCreds(ctx context.Context, tenant, name, kind string, may func(key string) jwt.Permissions) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	account, signer, err := t.account(tenant)
	if err != nil {
		return "", err
	}
	if tag, _ := taggedKey(account.Tags, name); tag != "" {
		return "", fmt.Errorf("%s of tenant %s is there already", name, tenant)
	}
	if len(account.Tags)+len(account.Revocations) >= maxKnown {
		return "", fmt.Errorf("tenant %s has had %d users and workers: make another tenant", tenant, maxKnown)
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", err
	}
	key, err := pair.PublicKey()
	if err != nil {
		return "", err
	}
	claims := jwt.NewUserClaims(key)
	claims.Name = name
	claims.Tags.Add(tenantTag + tenant)
	claims.Permissions = may(key)
	claims.AllowedConnectionTypes = jwt.StringList{jwt.ConnectionTypeStandard}
	token, err := claims.Encode(signer)
	if err != nil {
		return "", err
	}
	seed, err := pair.Seed()
	if err != nil {
		return "", err
	}
	creds, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		return "", err
	}
	// Who is not written down can't be removed, so that comes first.
	account.Tags.Add(tagOf(kind, key, name))
	if err := t.put(ctx, account); err != nil {
		return "", err
	}
	file := CredsFile(t.dir, tenant, name)
	return file, writePrivate(file, creds)
}

// CredsFile is where the credentials of a user or a worker are, in a state directory, unless they
// were moved.
func CredsFile(dir, tenant, name string) string {
	return filepath.Join(dir, tenantsDir, tenant, name+credsSuffix)
}

// RemoveCreds has the credentials of a user or a worker be refused from now on, and ends its
// connections.
func (t *Tenants) RemoveCreds(ctx context.Context, tenant, name string) error {
	account, _, err := t.account(tenant)
	if err != nil {
		return err
	}
	tag, key := taggedKey(account.Tags, name)
	if tag == "" {
		return fmt.Errorf("tenant %s has no user or worker %s", tenant, name)
	}
	account.Tags.Remove(tag)
	account.Revoke(key)
	if err := t.put(ctx, account); err != nil {
		return err
	}
	err = os.Remove(CredsFile(t.dir, tenant, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was moved to who uses it
	}
	return err
}

// Remove ends all connections of a tenant, and forgets it with all that it had waiting.
func (t *Tenants) Remove(ctx context.Context, name string) error {
	account, _, err := t.account(name)
	if err != nil {
		return err
	}
	if t.server != nil {
		err = t.server.remove(ctx, t.keys, account.Subject)
	} else {
		err = os.Remove(filepath.Join(t.dir, accountsDir, account.Subject+accountSuffix))
	}
	if err != nil {
		return err
	}
	return errors.Join(
		os.RemoveAll(filepath.Join(t.dir, tenantsDir, name)),
		os.RemoveAll(filepath.Join(t.dir, jetStreamDir, "jetstream", account.Subject)),
	)
}

// signers returns the keys of all tenants in a state directory.
func signers(dir string) (list []nkeys.KeyPair, err error) {
	names, err := tenantNames(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		pair, err := readSeed(filepath.Join(dir, tenantsDir, name, accountFile), nkeys.PrefixByteAccount)
		if err != nil {
			return nil, err
		}
		list = append(list, pair)
	}
	return list, nil
}
