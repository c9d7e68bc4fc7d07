// Runs client-go's shared informer on all pods of a server, as controllers do: with protobuf, and with its
// features as they are by default (streaming lists among them). Prints what that cost as JSON.
//
//	informer sync KUBECONFIG COUNT     until COUNT pods are in the store
//	informer replay KUBECONFIG COUNT   until the pod "end" of the replay server, after COUNT events
//
// Wall and CPU seconds are counted from just before the informer is started; the start of the program, the reading
// of the kubeconfig and the making of the client are not.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"kubewright.dev/bench/clientgo/cost"
)

const (
	// Nothing that is measured takes longer.
	limit = 5 * time.Minute
	// How long after the first sync the memory is steady.
	settled = 2 * time.Second
)

func main() {
	if len(os.Args) != 4 {
		fail("say: informer sync|replay KUBECONFIG COUNT")
	}
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	client := newClient(os.Args[2])
	var found map[string]float64
	switch os.Args[1] {
	case "sync":
		found = firstSync(ctx, client, count)
	case "replay":
		found = replay(ctx, client, count)
	default:
		fail("say: informer sync|replay KUBECONFIG COUNT")
	}
	check(json.NewEncoder(os.Stdout).Encode(found))
}

func newClient(kubeconfig string) kubernetes.Interface {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	check(err)
	return client
}

func firstSync(ctx context.Context, client kubernetes.Interface, count int) map[string]float64 {
	begin, used := time.Now(), cost.CPU()
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.StartWithContext(ctx)
	await(ctx, informer.HasSyncedChecker().Done())
	found := map[string]float64{
		"seconds": time.Since(begin).Seconds(), "cpu": cost.CPU() - used, "peak": cost.Peak(),
	}
	time.Sleep(settled)
	found["steady"] = cost.Resident()
	// Go keeps freed memory for a while. What is left once it gives it back is the smaller figure, and the one that
	// ours is compared with: nobody shall say that the other side was made to look bad.
	debug.FreeOSMemory()
	found["steady_after_gc"] = cost.Resident()
	if held := len(informer.GetStore().ListKeys()); held != count {
		fail("%d pods are in the store, not %d", held, count)
	}
	return found
}

func replay(ctx context.Context, client kubernetes.Interface, count int) map[string]float64 {
	begin, used := time.Now(), cost.CPU()
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	handled, changed := 0, 0
	ended := make(chan struct{})
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			if object.(*corev1.Pod).Name == "end" {
				close(ended)
				return
			}
			handled++
		},
		UpdateFunc: func(before, after any) {
			old, now := before.(*corev1.Pod), after.(*corev1.Pod)
			if old.ResourceVersion != now.ResourceVersion && old.Spec.NodeName == now.Spec.NodeName {
				changed++
			}
			handled++
		},
		DeleteFunc: func(any) { handled++ },
	})
	check(err)
	factory.StartWithContext(ctx)
	await(ctx, ended)
	found := map[string]float64{
		"seconds": time.Since(begin).Seconds(), "cpu": cost.CPU() - used, "peak": cost.Peak(),
	}
	found["events"], found["updates"] = float64(handled), float64(changed)
	if handled != count {
		fail("%d events were handled, not %d", handled, count)
	}
	return found
}

func await(ctx context.Context, done <-chan struct{}) {
	select {
	case <-done:
	case <-ctx.Done():
		fail("not done after %s", limit)
	}
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}
