package main

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.child(ctx, &widget); err != nil {
		return ctrl.Result{}, err
	}
	status := WidgetStatus{Phase: "Ready", Observed: widget.Generation}
	if widget.Status == status {
		return ctrl.Result{}, nil
	}
	widget.Status = status
	return ctrl.Result{}, r.Status().Update(ctx, &widget)
}

func (r *reconciler) child(ctx context.Context, widget *Widget) error {
	size := strconv.Itoa(widget.Spec.Size)
	var child corev1.ConfigMap
	err := r.Get(ctx, client.ObjectKeyFromObject(widget), &child)
	if apierrors.IsNotFound(err) {
		child = corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: widget.Namespace, Name: widget.Name},
			Data:       map[string]string{"size": size},
		}
		if err := controllerutil.SetControllerReference(widget, &child, r.Scheme()); err != nil {
			return err
		}
		return r.Create(ctx, &child)
	}
	if err != nil || child.Data["size"] == size {
		return err
	}
	child.Data["size"] = size
	return r.Update(ctx, &child)
}
