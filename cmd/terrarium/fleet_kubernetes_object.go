package main

import "time"

// What a pod has, and where.
const (
	// podHome has our caches and state, and podWork is where commands start: --sandbox lets them
	// make no files beside what a home directory has.
	podHome = "/home/terrarium"
	podWork = "/work"
	// podSecret is in a directory that --sandbox hides from commands.
	podSecret = "/run/secrets/terrarium"
	podCreds  = podSecret + "/worker.creds"
	// podUser is nobody's in most images. It is not root, whatever the image says.
	podUser = 65532
	// podName is a variable with what the pod is called. The kubelet puts its value into arguments.
	podName = "POD_NAME"
	// afterDrain is what a worker has to end when sessions have had their time.
	afterDrain = 30 * time.Second
)

// object is one of JSON's. Its members are written in the order of their names.
type object = map[string]any

// deployment returns a Deployment of Kubernetes.
//
// There are no probes. A worker listens nowhere, so none could ask it. It ends by itself when it
// can't go on, and is started again then. That the fleet's server is away is no reason to end: a
// pod that a probe kills meanwhile would lose sessions that go on when the server is back.
//
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/
// https://kubernetes.io/docs/concepts/security/pod-security-standards/ (restricted)
func (f *kubernetesFlags) deployment(url string, join []string) (object, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	args, drain, err := f.joinArgs(url, join)
	if err != nil {
		return nil, err
	}
	labels := object{"app.kubernetes.io/name": "terrarium-worker", "app.kubernetes.io/instance": f.name}
	metadata := object{"name": f.name, "labels": labels}
	if f.namespace != "" {
		metadata["namespace"] = f.namespace
	}
	return object{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata":   metadata,
		"spec": object{
			"replicas": f.replicas,
			"selector": object{"matchLabels": labels},
			// New pods first: old ones have sessions, and drain for long.
			"strategy":        object{"type": "RollingUpdate", "rollingUpdate": object{"maxSurge": "25%", "maxUnavailable": 0}},
			"minReadySeconds": 10, // a worker that can't join has ended by then
			"template":        object{"metadata": object{"labels": labels}, "spec": f.pod(args, drain)},
		},
	}, nil
}

func (f *kubernetesFlags) pod(args []string, drain time.Duration) object {
	size := object{"cpu": f.cpu.text, "memory": f.memory.text, "ephemeral-storage": f.disk.text}
	empty := object{"sizeLimit": f.disk.text}
	return object{
		"automountServiceAccountToken": false, // commands have no business with the cluster
		"enableServiceLinks":           false, // nor with the variables of all its services
		"nodeSelector":                 object{"kubernetes.io/os": "linux"},
		// The kubelet has the Secret be readable for this group. See private.ReadGiven.
		"securityContext": object{
			"runAsNonRoot": true, "runAsUser": podUser, "runAsGroup": podUser, "fsGroup": podUser,
			"seccompProfile": object{"type": "RuntimeDefault"},
		},
		"terminationGracePeriodSeconds": int64((drain + afterDrain + time.Second - 1) / time.Second),
		"containers": []any{object{
			"name":       "worker",
			"image":      f.image,
			"command":    []string{"terrarium"},
			"args":       args,
			"workingDir": podWork,
			"env": []any{
				object{"name": podName, "valueFrom": object{"fieldRef": object{"fieldPath": "metadata.name"}}},
				object{"name": "HOME", "value": podHome},
			},
			"resources": object{"requests": size, "limits": size},
			"securityContext": object{
				"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []string{"ALL"}},
			},
			"volumeMounts": []any{
				object{"name": "home", "mountPath": podHome},
				object{"name": "work", "mountPath": podWork},
				object{"name": "tmp", "mountPath": "/tmp"},
				object{"name": "secret", "mountPath": podSecret, "readOnly": true},
			},
		}},
		"volumes": []any{
			object{"name": "home", "emptyDir": empty},
			object{"name": "work", "emptyDir": empty},
			object{"name": "tmp", "emptyDir": empty},
			object{"name": "secret", "secret": object{"secretName": f.secret, "defaultMode": 0o400}},
		},
	}
}
