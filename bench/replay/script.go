package main

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// The revision before the first event. High, so that all revisions have as many digits as a busy cluster's.
	before = 80_000_000
	// How many nodes, namespaces and apps the pods are spread over.
	nodes, namespaces, apps = 200, 23, 97
	// At most so many of the events are deletes, the last ones.
	mostDeleted = 100
	// The name of the pod that is added when everything else was sent.
	endName = "end"
)

// What happens: event i has the revision before+1+i, so that a watch can begin anywhere. The first events add all
// pods; those that are listed happened before anybody watched.
type script struct {
	template *corev1.Pod
	pods     int
	listed   int
	total    int
	deleted  int
}

func newScript(template *corev1.Pod, pods, count int, listed bool) *script {
	made := &script{template: template, pods: pods, total: count}
	if listed {
		made.listed = pods
		made.total += pods
	}
	made.deleted = max(0, min(mostDeleted, pods, made.total-pods))
	return made
}

// The number of events, with the one that says that this is the end; where nothing happens, nothing ends.
func (s *script) events() int {
	if s.total == s.listed {
		return s.total
	}
	return s.total + 1
}

// The revision of lists.
func (s *script) listedRevision() int { return before + s.listed }

func (s *script) event(index int) watch.Event {
	switch {
	case index == s.total:
		end := s.pod(0, index)
		end.Name, end.UID = endName, "00000000-0000-0000-0000-ffffffffffff"
		return watch.Event{Type: watch.Added, Object: end}
	case index >= s.total-s.deleted:
		return watch.Event{Type: watch.Deleted, Object: s.pod(index-(s.total-s.deleted), index)}
	case index < s.pods:
		return watch.Event{Type: watch.Added, Object: s.pod(index, index)}
	default:
		return watch.Event{Type: watch.Modified, Object: s.pod(index%s.pods, index)}
	}
}

// A pod as the event of that index left it: its revision and status tell which.
func (s *script) pod(number, index int) *corev1.Pod {
	pod := s.template.DeepCopy()
	app := fmt.Sprintf("app-%d", number%apps)
	pod.APIVersion, pod.Kind = "v1", "Pod"
	pod.Name = fmt.Sprintf("%s-%08x", app, number)
	pod.Namespace = fmt.Sprintf("team-%d", number%namespaces)
	pod.UID = types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012x", number))
	pod.ResourceVersion = strconv.Itoa(before + 1 + index)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, "app", app)
	pod.Spec.NodeName = fmt.Sprintf("node-%d", number%nodes)
	at := metav1.NewTime(time.Unix(1_777_799_667+int64(index), 0))
	for place := range pod.Status.Conditions {
		pod.Status.Conditions[place].LastTransitionTime = at
	}
	for place := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[place].RestartCount = int32(index / s.pods)
	}
	return pod
}

// What ends the initial events of a streaming list.
func (s *script) bookmark() watch.Event {
	return watch.Event{Type: watch.Bookmark, Object: &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: strconv.Itoa(s.listedRevision()),
			Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		},
	}}
}

func (s *script) list() *corev1.PodList {
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(s.listedRevision())},
		Items:    make([]corev1.Pod, s.listed),
	}
	for number := range list.Items {
		list.Items[number] = *s.pod(number, number)
		list.Items[number].TypeMeta = metav1.TypeMeta{}
	}
	return list
}
