package main

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// patchQuestion holds what any of the patch operations may be asked; each uses a few of the fields.
type patchQuestion struct {
	Kind      string          `json:"kind"`
	Document  json.RawMessage `json:"document"`
	Patch     json.RawMessage `json:"patch"`
	Original  json.RawMessage `json:"original"`
	Modified  json.RawMessage `json:"modified"`
	Current   json.RawMessage `json:"current"`
	Overwrite bool            `json:"overwrite"`
}

func (q patchQuestion) dataStruct() any {
	if q.Kind == "Deployment" {
		return appsv1.Deployment{}
	}
	return corev1.Pod{}
}

func (q patchQuestion) lookup() (strategicpatch.LookupPatchMeta, error) {
	return strategicpatch.NewPatchMetaFromStruct(q.dataStruct())
}

// patchHandler answers with JSON that upstream wrote, and turns upstream's panics into answers.
func patchHandler(answer func(patchQuestion) ([]byte, error)) handler {
	return func(arg json.RawMessage) (value any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				value, err = nil, fmt.Errorf("panic: %v", cause)
			}
		}()
		var asked patchQuestion
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		written, err := answer(asked)
		if err != nil {
			return nil, err
		}
		return json.RawMessage(written), nil
	}
}

func init() {
	// The default of kube-apiserver.
	jsonpatch.AccumulatedCopySizeLimit = 3 * 1024 * 1024

	handlers["patch.json"] = patchHandler(func(q patchQuestion) ([]byte, error) {
		operations, err := jsonpatch.DecodePatch(q.Patch)
		if err != nil {
			return nil, err
		}
		return operations.Apply(q.Document)
	})
	handlers["patch.merge"] = patchHandler(func(q patchQuestion) ([]byte, error) {
		return jsonpatch.MergePatch(q.Document, q.Patch)
	})
	handlers["patch.mergeCreate"] = patchHandler(func(q patchQuestion) ([]byte, error) {
		return jsonpatch.CreateMergePatch(q.Original, q.Modified)
	})
	handlers["patch.mergeThreeWay"] = patchHandler(func(q patchQuestion) ([]byte, error) {
		return jsonmergepatch.CreateThreeWayJSONMergePatch(q.Original, q.Modified, q.Current)
	})
	handlers["patch.strategic"] = patchHandler(func(q patchQuestion) ([]byte, error) {
		return strategicpatch.StrategicMergePatch(q.Document, q.Patch, q.dataStruct())
	})
	handlers["patch.strategicCreate"] = patchHandler(func(q patchQuestion) ([]byte, error) {
		return strategicpatch.CreateTwoWayMergePatch(q.Original, q.Modified, q.dataStruct())
	})
	handlers["patch.strategicThreeWay"] = patchHandler(func(q patchQuestion) ([]byte, error) {
		schema, err := q.lookup()
		if err != nil {
			return nil, err
		}
		return strategicpatch.CreateThreeWayMergePatch(q.Original, q.Modified, q.Current, schema, q.Overwrite)
	})
}
