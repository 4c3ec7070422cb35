package mcp

import (
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestBounds: no argument of any tool is without a limit.
func TestBounds(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{
		"create": schemaOf[createIn](), "terminal": schemaOf[terminalIn](), "output": schemaOf[outputIn](), "wait": schemaOf[waitIn](),
		"write": schemaOf[writeIn](), "keys": schemaOf[keysIn](), "resize": schemaOf[resizeIn](),
	}
	for tool, schema := range schemas {
		for name, p := range schema.Properties {
			if !bounded(p) {
				t.Errorf("%s: %s has no limit: add it to bound", tool, name)
			}
		}
	}
}

func bounded(p *jsonschema.Schema) bool {
	switch p.Type {
	case "boolean":
		return true
	case "string":
		return p.MaxLength != nil
	case "integer", "number":
		return p.Minimum != nil && p.Maximum != nil
	case "array":
		return p.MaxItems != nil && bounded(p.Items)
	case "object":
		return p.MaxProperties != nil && bounded(p.AdditionalProperties)
	}
	return false
}
