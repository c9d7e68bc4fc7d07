package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// protobufScheme knows every kind that a server of this release serves.
var protobufScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
		apidiscoveryv2.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}()

// protobufField is what Go's struct says of a field, of which the protobuf definitions are silent.
type protobufField struct {
	JSON      string `json:"json"`
	Pointer   bool   `json:"pointer"`
	OmitEmpty bool   `json:"omitEmpty"`
	OmitZero  bool   `json:"omitZero"`
	Type      string `json:"type"`
}

// collectFields adds the fields of a struct and of all that it refers to, by the name of its message.
func collectFields(found reflect.Type, into map[string]map[string]protobufField) {
	for found.Kind() == reflect.Pointer || found.Kind() == reflect.Slice || found.Kind() == reflect.Map {
		found = found.Elem()
	}
	if found.Kind() != reflect.Struct || !strings.HasPrefix(found.PkgPath(), "k8s.io/") {
		return
	}
	name := strings.NewReplacer("/", ".", "-", "_").Replace(found.PkgPath()) + "." + found.Name()
	if _, known := into[name]; known {
		return
	}
	fields := map[string]protobufField{}
	into[name] = fields
	for index := range found.NumField() {
		field := found.Field(index)
		tag := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(tag) < 2 {
			continue
		}
		names := strings.Split(field.Tag.Get("json"), ",")
		described := protobufField{
			JSON:    names[0],
			Pointer: field.Type.Kind() == reflect.Pointer,
			Type:    field.Type.String(),
		}
		for _, option := range names[1:] {
			described.OmitEmpty = described.OmitEmpty || option == "omitempty"
			described.OmitZero = described.OmitZero || option == "omitzero"
		}
		fields[tag[1]] = described
		collectFields(field.Type, into)
	}
}

func init() {
	writer := protobuf.NewSerializer(protobufScheme, protobufScheme)
	jsonWriter := serializerjson.NewSerializerWithOptions(
		serializerjson.DefaultMetaFactory, protobufScheme, protobufScheme, serializerjson.SerializerOptions{})

	handlers["protobuf.fields"] = func(json.RawMessage) (any, error) {
		messages := map[string]map[string]protobufField{}
		for _, found := range protobufScheme.AllKnownTypes() {
			collectFields(found, messages)
		}
		return messages, nil
	}
	// JSON in; the same object as protobuf and as upstream's JSON out.
	handlers["protobuf.encode"] = func(arg json.RawMessage) (any, error) {
		object, _, err := jsonWriter.Decode(arg, nil, nil)
		if err != nil {
			return nil, err
		}
		body, err := runtime.Encode(writer, object)
		if err != nil {
			return nil, err
		}
		text, err := runtime.Encode(jsonWriter, object)
		if err != nil {
			return nil, err
		}
		return map[string]any{
			"protobuf": base64.StdEncoding.EncodeToString(body),
			"json":     json.RawMessage(text),
		}, nil
	}
	// Protobuf in; the same object as upstream's JSON out.
	handlers["protobuf.decode"] = func(arg json.RawMessage) (any, error) {
		var body []byte
		if err := json.Unmarshal(arg, &body); err != nil {
			return nil, err
		}
		object, _, err := writer.Decode(body, nil, nil)
		if err != nil {
			return nil, err
		}
		text, err := runtime.Encode(jsonWriter, object)
		if err != nil {
			return nil, fmt.Errorf("decoded, but has no JSON form: %w", err)
		}
		if !utf8.Valid(text) {
			return nil, errors.New("decoded, but has no JSON form: it is no UTF-8")
		}
		return json.RawMessage(text), nil
	}
}
