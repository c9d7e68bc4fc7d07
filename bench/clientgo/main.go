// Lists the pods of a namespace with client-go, in pages and with protobuf, which are its defaults, and prints
// what that cost as JSON: seconds, CPU seconds and memory in MB.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"

	"kubewright.dev/bench/clientgo/cost"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	// Protobuf alone: a server that has JSON at hand would answer with that, if it may.
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	start, used := time.Now(), cost.CPU()
	client, err := kubernetes.NewForConfig(config)
	check(err)
	pods := []*corev1.Pod{}
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods(os.Args[2]).List(ctx, options)
	}
	err = pager.New(list).EachListItem(context.Background(), metav1.ListOptions{}, func(object runtime.Object) error {
		pods = append(pods, object.(*corev1.Pod))
		return nil
	})
	check(err)
	seconds, spent := time.Since(start).Seconds(), cost.CPU()-used
	json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"seconds": seconds, "cpu": spent, "memory": cost.Peak(), "count": float64(len(pods)),
	})
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
