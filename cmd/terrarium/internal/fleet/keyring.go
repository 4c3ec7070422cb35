package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// Names in a state directory. All files are 0600, since whoever reads a seed is who it stands for.
const (
	operatorFile  = "operator.nk" // the seed that signs accounts
	systemFile    = "system.nk"   // the seed of the account that rules the server
	accountsDir   = "accounts"    // signed accounts, KEY.jwt, which the server reads
	tenantsDir    = "tenants"     // a directory for each tenant
	jetStreamDir  = "jetstream"
	serverFile    = "server.json" // where the server is that runs
	accountFile   = "account.nk"  // of a tenant: the seed that signs its credentials
	credsSuffix   = ".creds"      // of a tenant: the credentials of a user or a worker
	accountSuffix = ".jwt"
	maxSmallFile  = 512 << 10 // bytes of each of them
)

// A keyring is who may make tenants.
type keyring struct {
	operator, system       nkeys.KeyPair
	operatorKey, systemKey string // public
}

// openKeyring reads the keys in a state directory, or makes them in one that is new.
func openKeyring(dir string) (*keyring, error) {
	for _, name := range []string{accountsDir, tenantsDir} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	k := new(keyring)
	var err error
	if k.operator, k.operatorKey, err = openSeed(filepath.Join(dir, operatorFile), nkeys.PrefixByteOperator, dir); err != nil {
		return nil, err
	}
	if k.system, k.systemKey, err = openSeed(filepath.Join(dir, systemFile), nkeys.PrefixByteAccount, dir); err != nil {
		return nil, err
	}
	_, err = os.Lstat(filepath.Join(dir, accountsDir, k.systemKey+accountSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		claims := jwt.NewAccountClaims(k.systemKey)
		claims.Name = "system"
		err = k.writeAccount(dir, claims)
	}
	return k, err
}

// openSeed reads a seed, or makes one if there is no account yet that it may have signed.
func openSeed(file string, kind nkeys.PrefixByte, dir string) (nkeys.KeyPair, string, error) {
	pair, err := readSeed(file, kind)
	if errors.Is(err, fs.ErrNotExist) {
		entries, listErr := os.ReadDir(filepath.Join(dir, accountsDir))
		if listErr != nil || len(entries) > 0 {
			return nil, "", fmt.Errorf("%s is missing, which signs what is in %s: put it back, or begin with an empty directory", file, dir)
		}
		pair, err = makeSeed(file, kind)
	}
	if err != nil {
		return nil, "", err
	}
	key, err := pair.PublicKey()
	return pair, key, err
}

// makeSeed writes a new seed to a file that is not there yet.
func makeSeed(file string, kind nkeys.PrefixByte) (nkeys.KeyPair, error) {
	pair, err := nkeys.CreatePair(kind)
	if err != nil {
		return nil, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, err
	}
	return pair, writePrivate(file, append(seed, '\n'))
}

// readSeed reads a seed of that kind.
func readSeed(file string, kind nkeys.PrefixByte) (nkeys.KeyPair, error) {
	b, err := readPrivate(file)
	if err != nil {
		return nil, err
	}
	pair, err := nkeys.FromSeed(bytes.TrimSpace(b))
	if err == nil {
		err = nkeys.CompatibleKeyPair(pair, kind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: it has no seed of an %s", file, kind)
	}
	return pair, nil
}

// readPrivate reads a small file of a state directory.
func readPrivate(file string) ([]byte, error) { return private.Read(file, maxSmallFile) }

// writePrivate writes a file whole or not at all.
func writePrivate(file string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".new-") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// operatorClaims are what a server trusts.
func (k *keyring) operatorClaims() (*jwt.OperatorClaims, error) {
	claims := jwt.NewOperatorClaims(k.operatorKey)
	claims.Name = "terrarium"
	claims.SystemAccount = k.systemKey
	token, err := claims.Encode(k.operator)
	if err != nil {
		return nil, err
	}
	return jwt.DecodeOperatorClaims(token)
}

// writeAccount signs an account for a server that does not run.
func (k *keyring) writeAccount(dir string, claims *jwt.AccountClaims) error {
	token, err := claims.Encode(k.operator)
	if err != nil {
		return err
	}
	return writePrivate(filepath.Join(dir, accountsDir, claims.Subject+accountSuffix), []byte(token))
}

// passing returns credentials for this process alone. They allow all that the account may do, and
// are on no disk.
func passing(account nkeys.KeyPair, name string) (token, seed string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", "", err
	}
	key, err := pair.PublicKey()
	if err != nil {
		return "", "", err
	}
	secret, err := pair.Seed()
	if err != nil {
		return "", "", err
	}
	claims := jwt.NewUserClaims(key)
	claims.Name = name
	token, err = claims.Encode(account)
	return token, string(secret), err
}
