package main

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// wireTypes is what Go's reflection says of the types that JSON is decoded into.
type wireTypes struct {
	// Structs are the lines of each struct: GoName, JSON name ("" for an embedded one), type, flags.
	Structs map[string][][]string `json:"structs"`
	// Named are types with a name that are no structs, and what they are.
	Named map[string]string `json:"named"`
	// Forms are the types that decode themselves.
	Forms map[string]bool `json:"forms"`
	// Kinds are the struct of each apiVersion and kind.
	Kinds map[string]map[string]string `json:"kinds"`
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()
var versionElement = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// wireName is the name of a type with the last element of its package, and the one before a version.
func wireName(found reflect.Type) string {
	parts := strings.Split(found.PkgPath(), "/")
	kept := parts[len(parts)-1:]
	if versionElement.MatchString(kept[0]) {
		kept = parts[len(parts)-2:]
	}
	return strings.Join(kept, ".") + "." + found.Name()
}

// expression is the type as Go writes it, with longer names for packages, and collects what it names.
func (types *wireTypes) expression(found reflect.Type) string {
	if found.PkgPath() != "" {
		name := wireName(found)
		if reflect.PointerTo(found).Implements(unmarshaler) {
			types.Forms[name] = true
		}
		if found.Kind() == reflect.Struct {
			types.collect(name, found)
		} else if _, known := types.Named[name]; !known {
			types.Named[name] = ""
			types.Named[name] = types.underlying(found)
		}
		return name
	}
	return types.underlying(found)
}

func (types *wireTypes) underlying(found reflect.Type) string {
	switch found.Kind() {
	case reflect.Pointer:
		return "*" + types.expression(found.Elem())
	case reflect.Slice:
		return "[]" + types.expression(found.Elem())
	case reflect.Map:
		return "map[" + types.expression(found.Key()) + "]" + types.expression(found.Elem())
	default:
		return found.Kind().String()
	}
}

func (types *wireTypes) collect(name string, found reflect.Type) {
	if _, known := types.Structs[name]; known {
		return
	}
	types.Structs[name] = nil
	if types.Forms[name] && !strings.Contains(name, "JSONSchemaPropsOr") {
		return
	}
	lines := [][]string{}
	for index := range found.NumField() {
		field := found.Field(index)
		tag := strings.Split(field.Tag.Get("json"), ",")
		if tag[0] == "-" || !field.IsExported() {
			continue
		}
		line := []string{field.Name, tag[0], types.expression(field.Type)}
		lines = append(lines, append(line, tag[1:]...))
	}
	types.Structs[name] = lines
}

// wireBody is what the tests ask: a body, and the kind that the endpoint expects.
type wireBody struct {
	Body       string `json:"body"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Strict     bool   `json:"strict"`
}

// wireAnswer is what the serializer of the API server makes of it.
type wireAnswer struct {
	Object   json.RawMessage `json:"object,omitempty"`
	Problems []string        `json:"problems"`
	Error    string          `json:"error,omitempty"`
	// Kind is empty when the body's kind could not be found out.
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
}

func (asked wireBody) read(into func(schema.GroupVersionKind) runtime.Object) (any, error) {
	data, err := base64.StdEncoding.DecodeString(asked.Body)
	if err != nil {
		return nil, err
	}
	serializer := serializerjson.NewSerializerWithOptions(serializerjson.DefaultMetaFactory, protobufScheme,
		protobufScheme, serializerjson.SerializerOptions{Strict: asked.Strict})
	expected := schema.FromAPIVersionAndKind(asked.APIVersion, asked.Kind)
	object, gvk, err := serializer.Decode(data, &expected, into(expected))
	reply := wireAnswer{Problems: []string{}}
	if gvk != nil {
		reply.APIVersion, reply.Kind = gvk.GroupVersion().String(), gvk.Kind
	}
	if strict, is := runtime.AsStrictDecodingError(err); is {
		for _, problem := range strict.Errors() {
			reply.Problems = append(reply.Problems, problem.Error())
		}
	} else if err != nil {
		reply.Error = err.Error()
		return reply, nil
	}
	// The same call as the serializer's own, which would add a newline.
	reply.Object, err = json.Marshal(object)
	return reply, err
}

func init() {
	handlers["wire.types"] = func(json.RawMessage) (any, error) {
		types := wireTypes{
			Structs: map[string][][]string{}, Named: map[string]string{},
			Forms: map[string]bool{}, Kinds: map[string]map[string]string{},
		}
		for gvk, found := range protobufScheme.AllKnownTypes() {
			apiVersion, kind := gvk.ToAPIVersionAndKind()
			if types.Kinds[apiVersion] == nil {
				types.Kinds[apiVersion] = map[string]string{}
			}
			types.Kinds[apiVersion][kind] = types.expression(found)
		}
		return types, nil
	}
	handlers["wire.read"] = func(arg json.RawMessage) (any, error) {
		var asked wireBody
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		return asked.read(func(gvk schema.GroupVersionKind) runtime.Object {
			object, err := protobufScheme.New(gvk)
			if err != nil {
				panic(err)
			}
			return object
		})
	}
	// The same for custom resources.
	handlers["wire.json"] = func(arg json.RawMessage) (any, error) {
		var asked wireBody
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		return asked.read(func(schema.GroupVersionKind) runtime.Object { return &unstructured.Unstructured{} })
	}
}
