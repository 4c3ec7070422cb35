package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// TestRoles has credentials be given where others are wanted. That is said before anything is
// connected to: nobody is at the URL.
func TestRoles(t *testing.T) {
	ctx := patient(t)
	creds := addTenant(t, ctx, tenants(t, ctx, stateDir(t)), "acme")
	if err := os.Chmod(creds["bob"], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		who  string
		role Role
		want string // "": these are the right ones
	}{
		{"ada", WorkerRole, "these are a user's, ada: this needs a worker's, as \"terrarium fleet tenant add acme --worker NAME\" makes"},
		{"w1", UserRole, "these are a worker's, w1: this needs a user's, as \"terrarium fleet tenant add acme --user NAME\" makes"},
		{"ada", UserRole, ""},
		{"w1", WorkerRole, ""},
		{"ada", AnyRole, ""},
		{"w1", AnyRole, ""},
		{"bob", UserRole, "mode 0644: others may read or write it: chmod 600"},
	} {
		want := "no NATS server answers"
		if c.want != "" {
			want = "credentials: " + creds[c.who] + ": " + c.want
		}
		a := Access{URL: "nats://127.0.0.1:1", Creds: creds[c.who], Role: c.role}
		client, err := a.Connect(ctx, "test")
		if err == nil {
			client.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s's as those of role %d: got %v, want %q", c.who, c.role, err, want)
		}
	}
}

// foreignCreds makes credentials of a tenant that are not of our making, such as those of a NATS
// server of somebody else's.
func foreignCreds(t *testing.T, dir, tenant string, may func(key string) jwt.Permissions) string {
	t.Helper()
	signer, err := readSeed(filepath.Join(dir, tenantsDir, tenant, accountFile), nkeys.PrefixByteAccount)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	key, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewUserClaims(key)
	claims.Name, claims.Permissions = "foreign", may(key)
	token, err := claims.Encode(signer)
	if err != nil {
		t.Fatal(err)
	}
	creds, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "foreign.creds")
	if err := os.WriteFile(file, creds, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestNotPermitted has credentials that we have not made allow too little. The server does not
// answer then, and says so elsewhere.
func TestNotPermitted(t *testing.T) {
	ctx := patient(t)
	dir := stateDir(t)
	list := tenants(t, ctx, dir)
	addTenant(t, ctx, list, "acme")
	list.Close()
	s := serve(t, ServerConfig{Dir: dir})
	little := foreignCreds(t, dir, "acme", func(key string) jwt.Permissions {
		return jwt.Permissions{
			Pub: jwt.Permission{Allow: jwt.StringList{streamInfo}},
			Sub: jwt.Permission{Allow: jwt.StringList{InboxPrefix(key) + ".>"}},
		}
	})
	less := foreignCreds(t, dir, "acme", func(key string) jwt.Permissions {
		return jwt.Permissions{
			Pub: jwt.Permission{Deny: jwt.StringList{">"}},
			Sub: jwt.Permission{Allow: jwt.StringList{InboxPrefix(key) + ".>"}},
		}
	})
	connect := func(creds string) *Client {
		t.Helper()
		// A worker's: we don't know what they are for.
		a := Access{URL: s.URL(), Creds: creds, Role: WorkerRole}
		c, err := a.Connect(ctx, "test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	for what, try := range map[string]func(c *Client) error{
		"a worker": func(c *Client) error {
			w, err := NewWorker(WorkerConfig{Client: c, Name: "w", Slots: 1, Host: new(echoHost)})
			if err != nil {
				return err
			}
			return w.Run(ctx)
		},
		"a place": func(c *Client) error {
			p, err := NewPlace(ctx, PlaceConfig{Client: c})
			if err == nil {
				p.Close()
			}
			return err
		},
		"ls": func(c *Client) error {
			_, err := List(ctx, c)
			return err
		},
		"drain": func(c *Client) error {
			_, err := Drain(ctx, c, "w", time.Hour)
			return err
		},
	} {
		for _, creds := range []string{little, less} {
			err := try(connect(creds))
			if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the server does not permit what a fleet needs, ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %v, want what is not permitted, in one line", what, err)
			}
		}
	}
}
