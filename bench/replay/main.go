// A server that replays watch events of pods as fast as the client reads them, so that a client's own costs can
// be measured. Everything it sends is encoded before it says that it is ready, by apimachinery's own encoders: as
// JSON, and as protobuf for clients that accept it.
//
//	replay -pod FILE -kubeconfig FILE [-pods N] [-count N] [-listed] [-limit DURATION]
//
// The events of GET /api/v1/pods?watch=1 are an ADDED of each pod, then MODIFIED of each in turn, then a few
// DELETED: count of them in all. After them comes the ADDED of a pod named "end", then nothing, and the watch
// stays open. With -listed the pods are there from the start, in lists and among the initial events of streaming
// lists, and count is of the events after them; with a count of 0 there are none, and no "end".
//
// Prints "ready URL" and ends on SIGTERM, when the pipe on its standard input is closed, or after the limit.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
)

var (
	file       = flag.String("pod", "", "the file with the JSON of the pod that all are made from")
	kubeconfig = flag.String("kubeconfig", "", "the file to write, with which clients find this server")
	pods       = flag.Int("pods", 5000, "how many pods")
	count      = flag.Int("count", 50000, "how many events")
	listed     = flag.Bool("listed", false, "the pods are there from the start, not added by events")
	limit      = flag.Duration("limit", 10*time.Minute, "how long to live at most")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("replay: ")
	flag.Parse()
	if *kubeconfig == "" || *pods < 1 || *count < 0 {
		log.Fatal("say -kubeconfig FILE, -pods of at least 1 and -count of at least 0")
	}
	script := newScript(template(), *pods, *count, *listed)
	server := &http.Server{
		Handler:   handler(recorded(script)),
		TLSConfig: selfSigned(),
		// What clients do when they end is no news.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	url := fmt.Sprintf("https://%s", listener.Addr())
	check(writeKubeconfig(*kubeconfig, url, server.TLSConfig.Certificates[0].Certificate[0]))
	go func() { check(server.ServeTLS(listener, "", "")) }()
	fmt.Println("ready", url)
	wait()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func template() *corev1.Pod {
	read, err := os.ReadFile(*file)
	check(err)
	pod := &corev1.Pod{}
	check(json.Unmarshal(read, pod))
	return pod
}

// Returns when it is time to end.
func wait() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	closed := make(chan struct{})
	// Only a pipe tells of the death of who started this; from a terminal or /dev/null nothing follows.
	if about, err := os.Stdin.Stat(); err == nil && about.Mode()&os.ModeNamedPipe != 0 {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			close(closed)
		}()
	}
	select {
	case <-told:
	case <-closed:
	case <-time.After(*limit):
	}
}
