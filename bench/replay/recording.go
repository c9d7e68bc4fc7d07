package main

import (
	"bytes"
	"log"
	gruntime "runtime"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"
)

// A script in the bytes of one media type.
type recording struct {
	*script
	listType, watchType string
	listBytes           []byte
	bookmarkBytes       []byte
	// All events one after the other; event i begins at starts[i], and the last element is the length.
	eventBytes []byte
	starts     []int
}

// One recording for each media type.
func recorded(s *script) map[string]*recording {
	made := map[string]*recording{}
	for _, media := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		made[media] = record(s, media)
	}
	return made
}

func record(s *script, media string) *recording {
	info, found := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), media)
	if !found || info.StreamSerializer == nil {
		log.Fatalf("%s cannot be encoded as a stream", media)
	}
	encoder := scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion)
	list, err := runtime.Encode(encoder, s.list())
	check(err)
	made := &recording{script: s, listType: media, watchType: media, listBytes: list}
	if media != runtime.ContentTypeJSON {
		// As kube-apiserver names it.
		made.watchType += ";stream=watch"
	}
	made.bookmarkBytes = encode(info, encoder, s.bookmark())
	made.join(encodeAll(s, info, encoder))
	return made
}

func encode(info runtime.SerializerInfo, encoder runtime.Encoder, event watch.Event) []byte {
	buffer := &bytes.Buffer{}
	frames := streaming.NewEncoder(info.StreamSerializer.NewFrameWriter(buffer), info.StreamSerializer.Serializer)
	check(restwatch.NewEncoder(frames, encoder).Encode(&event))
	return buffer.Bytes()
}

// All events, on all cores.
func encodeAll(s *script, info runtime.SerializerInfo, encoder runtime.Encoder) [][]byte {
	made := make([][]byte, s.events())
	workers := gruntime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for index := worker; index < len(made); index += workers {
				made[index] = encode(info, encoder, s.event(index))
			}
		})
	}
	group.Wait()
	return made
}

func (r *recording) join(events [][]byte) {
	r.eventBytes = bytes.Join(events, nil)
	r.starts = make([]int, 1, len(events)+1)
	for _, event := range events {
		r.starts = append(r.starts, r.starts[len(r.starts)-1]+len(event))
	}
}
