// The streaming ends of a node and of an API server, made of upstream's own packages: what kubewright's client
// has to get along with.
//
// Under /exec, /attach, /portForward and /containerLogs it is a kubelet, whose containers are processes of this
// machine; a real kube-apiserver can be told that it is a node's. Under /api/v1/namespaces/.../pods/... it is an API
// server in front of that, with upstream's handlers put together as kube-apiserver 1.36 does; a pod whose name
// begins with "old" is on one that does not know version 5 of the protocol.
//
// It prints its URL and then serves until its stdin ends.
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/proxy"
	translator "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

const idleTimeout = time.Hour

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", serveExec)
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", serveAttach)
	mux.HandleFunc("/portForward/{namespace}/{pod}", servePortForward)
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", serveLogs)
	server := httptest.NewUnstartedServer(mux)
	mux.HandleFunc("/api/v1/namespaces/{namespace}/pods/{pod}/{subresource}", func(w http.ResponseWriter, req *http.Request) {
		serveAPI(server, w, req)
	})
	server.StartTLS()
	fmt.Println(server.URL)
	io.Copy(io.Discard, os.Stdin)
}

func serveExec(w http.ResponseWriter, req *http.Request) {
	options, err := remotecommand.NewOptions(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	remotecommand.ServeExec(w, req, processes{}, req.PathValue("pod"), "", req.PathValue("container"), req.URL.Query()["command"],
		options, idleTimeout, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func serveAttach(w http.ResponseWriter, req *http.Request) {
	options, err := remotecommand.NewOptions(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	remotecommand.ServeAttach(w, req, processes{}, req.PathValue("pod"), "", req.PathValue("container"),
		options, idleTimeout, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func servePortForward(w http.ResponseWriter, req *http.Request) {
	options, err := portforward.NewV4Options(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, req, processes{}, req.PathValue("pod"), "", options, idleTimeout,
		remotecommand.DefaultStreamCreationTimeout, portforward.SupportedProtocols)
}

// serveLogs writes what was asked for, and then a line per millisecond for as long as somebody follows.
func serveLogs(w http.ResponseWriter, req *http.Request) {
	fmt.Fprintf(w, "%s\n", req.URL.Query().Encode())
	fmt.Fprintf(w, "first\nsecond \xff\nlast without a newline")
	for number := 0; req.URL.Query().Get("follow") == "true"; number++ {
		if _, err := fmt.Fprintf(w, "\nline %d", number); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-req.Context().Done():
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// serveAPI hands requests on to the kubelet above, in the way of kube-apiserver's subresources of pods.
func serveAPI(server *httptest.Server, w http.ResponseWriter, req *http.Request) {
	pod, subresource := req.PathValue("pod"), req.PathValue("subresource")
	asked := req.URL.Query()
	location, _ := url.Parse(server.URL)
	query := url.Values{}
	if subresource == "portforward" {
		location.Path = "/portForward/default/" + pod
		query["port"] = asked["ports"]
	} else {
		location.Path = "/" + subresource + "/default/" + pod + "/main"
		query["command"] = asked["command"]
		for name, short := range map[string]string{"stdin": "input", "stdout": "output", "stderr": "error", "tty": "tty"} {
			if asked.Get(name) == "true" {
				query.Set(short, "1")
			}
		}
	}
	location.RawQuery = query.Encode()
	transport := server.Client().Transport
	var handler http.Handler = proxy.NewUpgradeAwareHandler(location, transport, false, true, responder{})
	switch {
	case strings.HasPrefix(pod, "old"):
	case subresource == "portforward":
		handler = translator.NewTranslatingHandler(handler, translator.NewTunnelingHandler(handler), wsstream.IsWebSocketRequestWithTunnelingProtocol)
	default:
		options := translator.Options{
			Stdin: query.Has("input"), Stdout: query.Has("output"), Stderr: query.Has("error"), Tty: query.Has("tty"),
		}
		translating := translator.NewStreamTranslatorHandler(location, transport, 0, options)
		handler = translator.NewTranslatingHandler(handler, translating, wsstream.IsWebSocketRequestWithStreamCloseProtocol)
	}
	handler.ServeHTTP(w, req)
}

type responder struct{}

func (responder) Error(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, err.Error(), http.StatusInternalServerError)
}
