package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func init() {
	handlers["apply.set"] = askSet
	handlers["apply.typed"] = askTyped
	handlers["apply.write"] = askWrite
}

type setQuestion struct {
	Op   string
	A, B json.RawMessage
}

func readSet(raw []byte) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if err := set.FromJSON(bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	return set, nil
}

func showSet(set *fieldpath.Set) (any, error) {
	text, err := set.ToJSON()
	if err != nil {
		return nil, err
	}
	paths := []string{}
	set.Iterate(func(path fieldpath.Path) { paths = append(paths, path.String()) })
	return map[string]any{"json": string(text), "paths": paths, "size": set.Size()}, nil
}

func askSet(arg json.RawMessage) (any, error) {
	var asked setQuestion
	if err := json.Unmarshal(arg, &asked); err != nil {
		return nil, err
	}
	a, err := readSet(asked.A)
	if err != nil {
		return nil, err
	}
	b := fieldpath.NewSet()
	if asked.B != nil {
		if b, err = readSet(asked.B); err != nil {
			return nil, err
		}
	}
	switch asked.Op {
	case "read":
		return showSet(a)
	case "union":
		return showSet(a.Union(b))
	case "intersection":
		return showSet(a.Intersection(b))
	case "difference":
		return showSet(a.Difference(b))
	case "recursive":
		return showSet(a.RecursiveDifference(b))
	case "leaves":
		return showSet(a.Leaves())
	case "equals":
		return map[string]any{"equal": a.Equals(b)}, nil
	}
	return nil, fmt.Errorf("unknown set operation %q", asked.Op)
}

type typedQuestion struct {
	Op          string
	Definitions json.RawMessage
	Type        string
	A, B, Set   json.RawMessage
	Duplicates  bool
	Keys        bool
}

var typedSchemas sync.Map

func readDefinitions(raw json.RawMessage) (map[string]*spec.Schema, error) {
	definitions := map[string]*spec.Schema{}
	return definitions, json.Unmarshal(raw, &definitions)
}

func typedSchema(raw json.RawMessage) (*smdschema.Schema, error) {
	if found, ok := typedSchemas.Load(string(raw)); ok {
		return found.(*smdschema.Schema), nil
	}
	definitions, err := readDefinitions(raw)
	if err != nil {
		return nil, err
	}
	converted, err := schemaconv.ToSchemaFromOpenAPI(definitions, false)
	if err == nil {
		typedSchemas.Store(string(raw), converted)
	}
	return converted, err
}

func askTyped(arg json.RawMessage) (any, error) {
	var asked typedQuestion
	if err := json.Unmarshal(arg, &asked); err != nil {
		return nil, err
	}
	parseable := typed.DeducedParseableType
	if asked.Type != "" {
		converted, err := typedSchema(asked.Definitions)
		if err != nil {
			return nil, err
		}
		parser := typed.Parser{Schema: smdschema.Schema{Types: converted.Types}}
		parseable = parser.Type(asked.Type)
	}
	read := func(raw json.RawMessage, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
		var data any
		if err := utiljson.Unmarshal(raw, &data); err != nil {
			return nil, err
		}
		if asked.Duplicates {
			options = append(options, typed.AllowDuplicates)
		}
		return typed.AsTyped(value.NewValueInterface(data), parseable.Schema, parseable.TypeRef, options...)
	}
	a, err := read(asked.A)
	if err != nil {
		return nil, err
	}
	switch asked.Op {
	case "validate":
		return true, nil
	case "fields":
		set, err := a.ToFieldSet()
		if err != nil {
			return nil, err
		}
		return showSet(set)
	case "merge":
		b, err := read(asked.B)
		if err != nil {
			return nil, err
		}
		merged, err := a.Merge(b)
		if err != nil {
			return nil, err
		}
		return map[string]any{"value": merged.AsValue().Unstructured()}, nil
	case "compare":
		b, err := read(asked.B)
		if err != nil {
			return nil, err
		}
		found, err := a.Compare(b)
		if err != nil {
			return nil, err
		}
		out := map[string]any{}
		for name, set := range map[string]*fieldpath.Set{"added": found.Added, "modified": found.Modified, "removed": found.Removed} {
			if out[name], err = showSet(set); err != nil {
				return nil, err
			}
		}
		return out, nil
	case "remove", "extract", "named", "reconcile":
		set, err := readSet(asked.Set)
		if err != nil {
			return nil, err
		}
		switch asked.Op {
		case "remove":
			return map[string]any{"value": a.RemoveItems(set).AsValue().Unstructured()}, nil
		case "extract":
			if asked.Keys {
				return map[string]any{"value": a.ExtractItems(set, typed.WithAppendKeyFields()).AsValue().Unstructured()}, nil
			}
			return map[string]any{"value": a.ExtractItems(set).AsValue().Unstructured()}, nil
		case "named":
			return showSet(set.EnsureNamedFieldsAreMembers(parseable.Schema, parseable.TypeRef))
		}
		reconciled, err := typed.ReconcileFieldSetWithSchema(set, a)
		if err != nil {
			return nil, err
		}
		if reconciled == nil {
			reconciled = set
		}
		return showSet(reconciled)
	}
	return nil, fmt.Errorf("unknown typed operation %q", asked.Op)
}

type writeQuestion struct {
	Op          string
	Definitions json.RawMessage
	APIVersion  string
	Kind        string
	Subresource string
	// Versions the converter knows, each with the names that fields of spec have there instead of those in the others.
	Versions map[string]map[string]string
	Reset    map[string]json.RawMessage
	Live     json.RawMessage
	Object   json.RawMessage
	Manager  string
	Force    bool
}

// renamer converts between versions that differ in names of fields of spec.
type renamer struct {
	versions map[string]map[string]string
}

func (r renamer) Convert(in, out, context any) error { return errors.New("not used") }

func (r renamer) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("not used")
}

func (r renamer) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	gvk := in.GetObjectKind().GroupVersionKind()
	wanted, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{gvk})
	if !ok || r.versions == nil {
		gv, isVersion := target.(schema.GroupVersion)
		if !isVersion || r.versions == nil {
			return in, nil
		}
		wanted = gv.WithKind(gvk.Kind)
	}
	names, known := r.versions[wanted.GroupVersion().String()]
	if !known {
		return nil, runtime.NewNotRegisteredErrForKind("oracle", wanted)
	}
	if wanted == gvk {
		return in, nil
	}
	out := in.(*unstructured.Unstructured).DeepCopy()
	out.SetGroupVersionKind(wanted)
	if fields, ok := out.Object["spec"].(map[string]any); ok {
		renamed := map[string]any{}
		for name, member := range fields {
			for hub, local := range r.versions[gvk.GroupVersion().String()] {
				if local == name {
					name = hub
					break
				}
			}
			if local, ok := names[name]; ok {
				name = local
			}
			renamed[name] = member
		}
		out.Object["spec"] = renamed
	}
	return out, nil
}

func (r renamer) Default(runtime.Object) {}

func (r renamer) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	made := &unstructured.Unstructured{Object: map[string]any{}}
	made.SetGroupVersionKind(gvk)
	return made, nil
}

var typeConverters sync.Map

func typeConverter(raw json.RawMessage) (managedfields.TypeConverter, error) {
	if len(raw) == 0 {
		return managedfields.NewDeducedTypeConverter(), nil
	}
	if found, ok := typeConverters.Load(string(raw)); ok {
		return found.(managedfields.TypeConverter), nil
	}
	definitions, err := readDefinitions(raw)
	if err != nil {
		return nil, err
	}
	made, err := managedfields.NewTypeConverter(definitions, false)
	if err == nil {
		typeConverters.Store(string(raw), made)
	}
	return made, err
}

func askWrite(arg json.RawMessage) (any, error) {
	var asked writeQuestion
	if err := json.Unmarshal(arg, &asked); err != nil {
		return nil, err
	}
	types, err := typeConverter(asked.Definitions)
	if err != nil {
		return nil, err
	}
	gv, err := schema.ParseGroupVersion(asked.APIVersion)
	if err != nil {
		return nil, err
	}
	reset := map[fieldpath.APIVersion]*fieldpath.Set{}
	for version, raw := range asked.Reset {
		if reset[fieldpath.APIVersion(version)], err = readSet(raw); err != nil {
			return nil, err
		}
	}
	helper := renamer{asked.Versions}
	gvk := gv.WithKind(asked.Kind)
	manager, err := managedfields.NewDefaultCRDFieldManager(types, helper, helper, helper, gvk, gv, asked.Subresource, fieldpath.NewExcludeFilterSetMap(reset))
	if err != nil {
		return nil, err
	}
	live := &unstructured.Unstructured{Object: map[string]any{}}
	live.SetGroupVersionKind(gvk)
	if len(asked.Live) > 0 && string(asked.Live) != "null" {
		live.Object = nil
		if err := utiljson.Unmarshal(asked.Live, &live.Object); err != nil {
			return nil, err
		}
	}
	object := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(asked.Object, &object.Object); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, source := range []*unstructured.Unstructured{live, object} {
		for _, entry := range source.GetManagedFields() {
			if entry.Time != nil {
				known[entry.Time.UTC().Format("2006-01-02T15:04:05Z")] = true
			}
		}
	}
	var result runtime.Object
	switch asked.Op {
	case "update":
		result, err = manager.Update(live, object, asked.Manager)
	case "updateNoErrors":
		result = manager.UpdateNoErrors(live, object, asked.Manager)
	case "apply":
		result, err = manager.Apply(live, object, asked.Manager, asked.Force)
	default:
		return nil, fmt.Errorf("unknown write %q", asked.Op)
	}
	if err != nil {
		var status *apierrors.StatusError
		if errors.As(err, &status) && status.ErrStatus.Details != nil {
			return map[string]any{"conflict": status.ErrStatus.Message, "causes": status.ErrStatus.Details.Causes}, nil
		}
		return map[string]any{"refused": err.Error()}, nil
	}
	return showObject(result.(*unstructured.Unstructured), known)
}

// showObject writes NOW for times that were not there before, and FieldsV1 as text, whose order is to be compared too.
func showObject(object *unstructured.Unstructured, known map[string]bool) (any, error) {
	entries := []map[string]any{}
	for _, entry := range object.GetManagedFields() {
		shown := map[string]any{
			"manager": entry.Manager, "operation": string(entry.Operation), "apiVersion": entry.APIVersion,
			"subresource": entry.Subresource, "fieldsType": entry.FieldsType, "time": showTime(entry.Time, known),
		}
		if entry.FieldsV1 != nil {
			text := new(strings.Builder)
			if _, err := text.Write(entry.FieldsV1.GetRawBytes()); err != nil {
				return nil, err
			}
			shown["fieldsV1"] = text.String()
		}
		entries = append(entries, shown)
	}
	object.SetManagedFields(nil)
	return map[string]any{"object": object.Object, "managedFields": entries}, nil
}

func showTime(time *metav1.Time, known map[string]bool) string {
	if time == nil {
		return ""
	}
	text := time.UTC().Format("2006-01-02T15:04:05Z")
	if known[text] {
		return text
	}
	return "NOW"
}
