package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// So much is written at once: large, so that neither side spends its time on small writes and reads.
const atOnce = 64 << 10

func handler(recordings map[string]*recording) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/pods", func(w http.ResponseWriter, r *http.Request) {
		recording := recordings[accepted(r)]
		if truthy(r, "watch") {
			recording.serveWatch(w, r)
		} else {
			w.Header().Set("Content-Type", recording.listType)
			w.Write(recording.listBytes)
		}
	})
	for path, document := range documents() {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { answer(w, http.StatusOK, document) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "the server replays the pods of /api/v1/pods only")
	})
	return mux
}

// The media type of the answer: protobuf for those that name it, JSON for all others.
func accepted(r *http.Request) string {
	for _, clause := range strings.Split(r.Header.Get("Accept"), ",") {
		media, _, _ := strings.Cut(clause, ";")
		switch media = strings.TrimSpace(media); media {
		case runtime.ContentTypeProtobuf, runtime.ContentTypeJSON:
			return media
		}
	}
	return runtime.ContentTypeJSON
}

func truthy(r *http.Request, parameter string) bool {
	found, _ := strconv.ParseBool(r.URL.Query().Get(parameter))
	return found
}

// Sends what came after the revision that the client names, and then nothing until the client goes away.
func (r *recording) serveWatch(w http.ResponseWriter, request *http.Request) {
	// The listed pods are sent first when no revision is named, and in a streaming list.
	first, initial := 0, truthy(request, "sendInitialEvents")
	if named := request.URL.Query().Get("resourceVersion"); named != "" && named != "0" && !initial {
		revision, err := strconv.Atoi(named)
		if err != nil || revision < before || revision-before > r.events() {
			refuse(w, http.StatusGone, metav1.StatusReasonExpired, "too old or too large resource version: "+named)
			return
		}
		first = revision - before
	}
	w.Header().Set("Content-Type", r.watchType)
	w.WriteHeader(http.StatusOK)
	flusher := w.(http.Flusher)
	flusher.Flush()
	if initial {
		first = r.listed
		sent := send(w, flusher, r.eventBytes[:r.starts[first]]) && send(w, flusher, r.bookmarkBytes)
		if !sent {
			return
		}
	}
	if send(w, flusher, r.eventBytes[r.starts[first]:]) {
		<-request.Context().Done()
	}
}

// Whether all of it could be written.
func send(w http.ResponseWriter, flusher http.Flusher, data []byte) bool {
	for len(data) > 0 {
		size := min(atOnce, len(data))
		if _, err := w.Write(data[:size]); err != nil {
			return false
		}
		flusher.Flush()
		data = data[size:]
	}
	return true
}

// What clients read to find out what there is.
func documents() map[string]any {
	pods := metav1.APIResource{
		Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod", Verbs: metav1.Verbs{"list", "watch"},
	}
	return map[string]any{
		"/version": map[string]string{"major": "1", "minor": "36", "gitVersion": "v1.36.4", "platform": "linux/amd64"},
		"/readyz":  "ok",
		"/api": metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
		},
		"/apis": metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{},
		},
		"/api/v1": metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: "v1", APIResources: []metav1.APIResource{pods},
		},
	}
}

func answer(w http.ResponseWriter, code int, document any) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(document); err != nil {
		fmt.Fprintln(w, err)
	}
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	answer(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}
