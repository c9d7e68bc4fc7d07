package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Widget is the custom resource; its definition comes from the class of the same name in Python.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Size int `json:"size,omitempty"`
}

type WidgetStatus struct {
	Phase    string `json:"phase,omitempty"`
	Observed int64  `json:"observed,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func addToScheme(scheme *runtime.Scheme) error {
	version := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme.AddKnownTypes(version, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, version)
	return nil
}

func (w *Widget) DeepCopyInto(out *Widget) {
	*out = *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

func (w *Widget) DeepCopyObject() runtime.Object {
	out := new(Widget)
	w.DeepCopyInto(out)
	return out
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := &WidgetList{TypeMeta: l.TypeMeta, Items: make([]Widget, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for number := range l.Items {
		l.Items[number].DeepCopyInto(&out.Items[number])
	}
	return out
}
