package tests

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// instances returns valid values for a schema: for an object, one for every
// combination of its optional members, their values in turn, and then some
// with all of them.
func (s *acpSchema) instances(v any) []any {
	def := v.(map[string]any)
	if ref := stringOf(def["$ref"]); ref != "" {
		name := strings.TrimPrefix(ref, "#/$defs/")
		if raw := acpRaw[name]; raw != "" {
			return []any{parseJSON(s.t, raw)}
		}
		return s.instances(s.types[name])
	}
	if value, ok := def["const"]; ok {
		return []any{value}
	}
	var all []any
	for _, key := range []string{"allOf", "anyOf"} {
		branches, _ := def[key].([]any)
		for _, branch := range branches {
			all = append(all, s.instances(branch)...)
		}
	}
	kinds, _ := def["type"].([]any)
	if kinds == nil && def["type"] != nil {
		kinds = []any{def["type"]}
	}
	for _, kind := range kinds {
		switch kind {
		case "null":
			all = append(all, nil)
		case "boolean":
			all = append(all, true, false)
		case "string":
			all = append(all, "", "a \"b\"\n\x00\\ é€😀\u2028")
		case "integer":
			all = append(all, json.Number("0"), json.Number(greatestInteger[stringOf(def["format"])]))
		case "array":
			all = append(all, []any{}, s.instances(def["items"]))
		case "object":
			all = append(all, s.objects(def)...)
		}
	}
	return all
}

var greatestInteger = map[string]string{
	"uint16": "65535", "uint32": "4294967295", "uint64": "18446744073709551615", "int64": "9223372036854775807",
}

func (s *acpSchema) objects(def map[string]any) []any {
	properties, _ := def["properties"].(map[string]any)
	if properties == nil { // _meta
		return []any{map[string]any{}, map[string]any{"a/b": []any{json.Number("1.50"), map[string]any{"c": nil}}}}
	}
	least := s.least(def)
	var optional []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if _, ok := least[name]; !ok {
			optional = append(optional, name)
		}
	}
	var all []any
	turn := 0
	add := func(mask int) {
		m := make(map[string]any)
		for name := range least {
			values := s.instances(properties[name])
			m[name] = values[turn%len(values)]
		}
		for i, name := range optional {
			if mask>>i&1 != 0 {
				values := s.instances(properties[name])
				m[name] = values[turn%len(values)]
			}
		}
		m["unknown"] = map[string]any{"x": nil}
		all = append(all, m)
		turn++
	}
	for mask := range 1 << len(optional) {
		add(mask)
	}
	for range s.mostValues(properties) { // each value of each member has its turn
		add(1<<len(optional) - 1)
	}
	return all
}

func (s *acpSchema) mostValues(properties map[string]any) (most int) {
	for _, p := range properties {
		most = max(most, len(s.instances(p)))
	}
	return most
}

// least is an instance with the required members only.
func (s *acpSchema) least(def map[string]any) map[string]any {
	m := make(map[string]any)
	required, _ := def["required"].([]any)
	for _, member := range required {
		m[stringOf(member)] = s.instances(def["properties"].(map[string]any)[stringOf(member)])[0]
	}
	return m
}

// normal returns v without what makes no difference: unknown members, those
// that are null or have their default, and the spelling of numbers.
func (s *acpSchema) normal(name string, v any) any {
	return s.normalOf(map[string]any{"$ref": "#/$defs/" + name}, v)
}

func (s *acpSchema) normalOf(schema, v any) any {
	def, name := s.resolve(schema)
	switch v := v.(type) {
	case json.Number:
		if x, ok := new(big.Rat).SetString(v.String()); ok {
			return x.RatString()
		}
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = item
			if acpRaw[name] == "" && def["items"] != nil {
				items[i] = s.normalOf(def["items"], item)
			}
		}
		return items
	case map[string]any:
		properties, _ := def["properties"].(map[string]any)
		if properties == nil || acpRaw[name] != "" {
			return v
		}
		m := make(map[string]any)
		for member, value := range v {
			property, known := properties[member].(map[string]any)
			if !known || s.meansAbsent(def, member, property, value) {
				continue
			}
			m[member] = s.normalOf(property, value)
		}
		return m
	}
	return v
}

func (s *acpSchema) meansAbsent(def map[string]any, member string, property map[string]any, v any) bool {
	required, _ := def["required"].([]any)
	if slices.Contains(required, any(member)) {
		return false
	}
	if list, ok := v.([]any); ok && len(list) == 0 || v == nil {
		return true
	}
	byDefault, ok := property["default"]
	return ok && cmp.Equal(s.normalOf(property, byDefault), s.normalOf(property, v))
}

// resolve follows references, and returns the first of several branches.
func (s *acpSchema) resolve(v any) (def map[string]any, name string) {
	def, _ = v.(map[string]any)
	for {
		if ref := stringOf(def["$ref"]); ref != "" {
			name = strings.TrimPrefix(ref, "#/$defs/")
			def = s.types[name].(map[string]any)
			continue
		}
		branches, _ := def["allOf"].([]any)
		if branches == nil {
			branches, _ = def["anyOf"].([]any)
		}
		if branches == nil {
			return def, name
		}
		def = branches[0].(map[string]any)
	}
}
