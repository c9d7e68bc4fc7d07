// An operator on controller-runtime, as its users write one: every Widget gets a ConfigMap that it controls, and a
// status. `bench/controller_ours.py` is the same program on kubewright.
//
//	operator KUBECONFIG WORKERS
//
// It prints "ready" once its caches are synced, and runs until its input ends. For each line of its input it gives
// back all memory that it can, and prints "done".
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	if len(os.Args) != 3 {
		fail("say: operator KUBECONFIG WORKERS")
	}
	workers, err := strconv.Atoi(os.Args[2])
	check(err)
	ctrl.SetLogger(logr.Discard())
	manager := newManager(os.Args[1], workers)
	ctx, stop := context.WithCancel(context.Background())
	go serve(ctx, manager, stop)
	check(manager.Start(ctx))
}

func newManager(kubeconfig string, workers int) ctrl.Manager {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	// No limit of requests, as the other side has none.
	config.QPS = -1
	check(addToScheme(scheme.Scheme))
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme.Scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	check(err)
	check(ctrl.NewControllerManagedBy(manager).
		For(&Widget{}).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler{manager.GetClient()}))
	return manager
}

// Says when it is ready, and does what its input asks for.
func serve(ctx context.Context, manager ctrl.Manager, stop func()) {
	defer stop()
	<-manager.Elected()
	for _, kind := range []client.Object{&Widget{}, &corev1.ConfigMap{}} {
		// This waits until it is synced.
		_, err := manager.GetCache().GetInformer(ctx, kind)
		check(err)
	}
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		debug.FreeOSMemory()
		fmt.Println("done")
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
