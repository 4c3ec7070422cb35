//go:build wasmtime

package tests

func init() {
	platforms = append(platforms, platform{goos: "linux", goarch: "amd64", tags: "wasmtime", packages: []string{"./..."}})
}
