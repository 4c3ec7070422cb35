package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// maxManifest is how long an artifact's manifest may be, in bytes.
const maxManifest = 1 << 20

// openLayer returns the layer with an entry's sum, of the artifact that its source
// names. The manifest is the one with the source's digest, or it is refused. No
// password is sent: a registry gets the token that it gives to anybody.
func openLayer(ctx context.Context, e *index.Entry) (io.ReadCloser, error) {
	image := e.From().Image
	at := index.RegistryURL(image)
	at.Path = "/" + image.Repository
	here := index.IsHere(at)
	repository := &remote.Repository{
		Client: &auth.Client{
			Client: &http.Client{Transport: guard{here}, CheckRedirect: checkRedirect},
			Header: http.Header{"User-Agent": {userAgent}},
			Cache:  auth.NewCache(),
		},
		Reference: image, PlainHTTP: here, MaxMetadataBytes: maxManifest,
	}
	b := newBody(ctx)
	layer, err := findLayer(b.ctx, repository, image, e)
	if err == nil {
		b.timer.Reset(stall)
		b.body, err = repository.Blobs().Fetch(b.ctx, layer)
	}
	if err != nil {
		err = registryError(b.cause(err))
		b.Close()
		return nil, named(at, err)
	}
	return b, nil
}

// findLayer returns which layer of an artifact is an entry's.
func findLayer(ctx context.Context, r *remote.Repository, image registry.Reference, e *index.Entry) (ocispec.Descriptor, error) {
	manifest, body, err := r.Manifests().FetchReference(ctx, image.Reference)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	defer body.Close()
	if manifest.Size > maxManifest {
		return ocispec.Descriptor{}, fmt.Errorf("a manifest of more than %d bytes", maxManifest)
	}
	manifest.Digest = digest.Digest(image.Reference) // whatever the server says
	text, err := content.ReadAll(body, manifest)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ocispec.Descriptor{}, errors.New("its manifest is cut off")
	case err != nil:
		return ocispec.Descriptor{}, fmt.Errorf("not the manifest with that digest: %w", err)
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return ocispec.Descriptor{}, errors.New("its manifest is no JSON of an artifact")
	}
	for _, layer := range m.Layers {
		if layer.Digest == digest.NewDigestFromEncoded(digest.SHA256, e.SHA256) {
			layer.Size = e.Size // or the download has another size, and is refused
			return layer, nil
		}
	}
	return ocispec.Descriptor{}, errors.New("no layer of it has the sha256 that the index says")
}

// A guard is a transport that goes nowhere that the redirects of client don't: a
// registry says where its tokens are, and may not send us to this machine.
type guard struct {
	here bool // the registry is this machine
}

// RoundTrip implements http.RoundTripper.
func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	err := index.CheckURL(r.URL)
	if err == nil && index.IsHere(r.URL) && !g.here {
		err = errElsewhere
	}
	if err != nil {
		return nil, err
	}
	return client.Transport.RoundTrip(r)
}

// registryError says in one line what a registry answers.
func registryError(err error) error {
	if answer, ok := errors.AsType[*errcode.ErrorResponse](err); ok {
		return fmt.Errorf("the registry says %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	if errors.Is(err, errdef.ErrNotFound) {
		return errors.New("the registry has no such artifact, or not to be had without a password")
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if text := err.Error(); strings.ContainsFunc(text, plugin.Unprintable) {
		return errors.New(plugin.Printable(text))
	}
	return err
}
