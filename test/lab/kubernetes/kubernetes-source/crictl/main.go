// A crictl for the lab, because Debian bookworm has none and kubeadm insists on one. It has the calls that kubeadm
// makes (info, pods -q, stopp, rmp, pull, inspecti) and those a person wants (ps, images, logs, version), over
// CRI v1alpha2 with the client stubs that Kubernetes' own source carries.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"google.golang.org/grpc"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
)

const (
	defaultEndpoint = "unix:///run/containerd/containerd.sock"
	version         = "v1.20.0-slipway-lab"
)

// options are what stands on the command line before, between and after the command and its argument.
type options struct {
	endpoint  string
	quiet     bool
	all       bool
	arguments []string
}

// client is one connection and what the command may need of it.
type client struct {
	ctx     context.Context
	runtime cri.RuntimeServiceClient
	images  cri.ImageServiceClient
	options options
}

// commands: whether each needs an argument, and what it does.
var commands = map[string]struct {
	needsArgument bool
	run           func(*client) error
}{
	"version":  {false, (*client).version},
	"info":     {false, (*client).info},
	"pods":     {false, (*client).pods},
	"ps":       {false, (*client).containers},
	"images":   {false, (*client).listImages},
	"stopp":    {true, (*client).stopPod},
	"rmp":      {true, (*client).removePod},
	"pull":     {true, (*client).pull},
	"inspecti": {true, (*client).inspectImage},
	"logs":     {true, (*client).logs},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		// The form in which cri-tools says it: kubeadm quotes it to its users.
		fmt.Fprintf(os.Stderr, "FATA[0000] %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	opts, err := parse(args)
	if err != nil {
		return err
	}
	if len(opts.arguments) == 0 {
		fmt.Println("crictl version", version)
		return nil
	}
	name := opts.arguments[0]
	command, known := commands[name]
	if !known {
		return fmt.Errorf("unknown command %q", name)
	}
	if command.needsArgument && len(opts.arguments) != 2 {
		return fmt.Errorf("%s takes one argument", name)
	}
	connection, err := connect(opts.endpoint)
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	return command.run(&client{ctx, cri.NewRuntimeServiceClient(connection), cri.NewImageServiceClient(connection), opts})
}

func parse(args []string) (options, error) {
	opts := options{endpoint: os.Getenv("CONTAINER_RUNTIME_ENDPOINT")}
	if opts.endpoint == "" {
		opts.endpoint = defaultEndpoint
	}
	wantsVersion := false
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-r" || arg == "--runtime-endpoint" || arg == "-i" || arg == "--image-endpoint":
			i++
			if i == len(args) {
				return opts, fmt.Errorf("flag needs an argument: %s", arg)
			}
			opts.endpoint = args[i]
		case strings.HasPrefix(arg, "--runtime-endpoint="):
			opts.endpoint = strings.TrimPrefix(arg, "--runtime-endpoint=")
		case arg == "-q" || arg == "--quiet":
			opts.quiet = true
		case arg == "-a" || arg == "--all":
			opts.all = true
		case arg == "-v" || arg == "--version":
			wantsVersion = true
		case strings.HasPrefix(arg, "-"):
			return opts, fmt.Errorf("flag provided but not defined: %s", arg)
		default:
			opts.arguments = append(opts.arguments, arg)
		}
	}
	if len(opts.arguments) == 0 && !wantsVersion {
		return opts, errors.New("no command: info, pods, ps, images, stopp, rmp, pull, inspecti, logs, version")
	}
	return opts, nil
}

func connect(endpoint string) (*grpc.ClientConn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	dial := func(ctx context.Context, path string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	path := strings.TrimPrefix(endpoint, "unix://")
	connection, err := grpc.DialContext(ctx, path, grpc.WithInsecure(), grpc.WithBlock(), grpc.WithContextDialer(dial))
	if err != nil {
		return nil, fmt.Errorf("connect: connect endpoint '%s', make sure you are running as root and the endpoint has been started: %w", endpoint, err)
	}
	return connection, nil
}

func (c *client) version() error {
	reply, err := c.runtime.Version(c.ctx, &cri.VersionRequest{})
	if err != nil {
		return fmt.Errorf("getting the runtime version: %w", err)
	}
	fmt.Printf("Version:  %s\nRuntimeName:  %s\nRuntimeVersion:  %s\nRuntimeApiVersion:  %s\n",
		reply.Version, reply.RuntimeName, reply.RuntimeVersion, reply.RuntimeApiVersion)
	return nil
}

func (c *client) info() error {
	reply, err := c.runtime.Status(c.ctx, &cri.StatusRequest{Verbose: !c.options.quiet})
	if err != nil {
		return fmt.Errorf("getting status of runtime: %w", err)
	}
	return printJSON(map[string]interface{}{"status": reply.Status})
}

func (c *client) pods() error {
	reply, err := c.runtime.ListPodSandbox(c.ctx, &cri.ListPodSandboxRequest{})
	if err != nil {
		return fmt.Errorf("listing pod sandboxes: %w", err)
	}
	rows := [][]string{{"POD ID", "STATE", "NAME", "NAMESPACE", "ATTEMPT"}}
	for _, pod := range reply.Items {
		state := strings.TrimPrefix(pod.State.String(), "SANDBOX_")
		rows = append(rows, []string{pod.Id, state, pod.Metadata.Name, pod.Metadata.Namespace, fmt.Sprint(pod.Metadata.Attempt)})
	}
	return c.printRows(rows)
}

func (c *client) containers() error {
	request := &cri.ListContainersRequest{}
	if !c.options.all {
		running := &cri.ContainerStateValue{State: cri.ContainerState_CONTAINER_RUNNING}
		request.Filter = &cri.ContainerFilter{State: running}
	}
	reply, err := c.runtime.ListContainers(c.ctx, request)
	if err != nil {
		return fmt.Errorf("listing containers: %w", err)
	}
	rows := [][]string{{"CONTAINER ID", "STATE", "NAME", "ATTEMPT", "POD ID"}}
	for _, one := range reply.Containers {
		state := strings.TrimPrefix(one.State.String(), "CONTAINER_")
		rows = append(rows, []string{one.Id, state, one.Metadata.Name, fmt.Sprint(one.Metadata.Attempt), short(one.PodSandboxId)})
	}
	return c.printRows(rows)
}

func (c *client) listImages() error {
	reply, err := c.images.ListImages(c.ctx, &cri.ListImagesRequest{})
	if err != nil {
		return fmt.Errorf("listing images: %w", err)
	}
	rows := [][]string{{"IMAGE ID", "NAME", "BYTES"}}
	for _, image := range reply.Images {
		rows = append(rows, []string{strings.TrimPrefix(image.Id, "sha256:"), strings.Join(image.RepoTags, ","), fmt.Sprint(image.Size_)})
	}
	return c.printRows(rows)
}

func (c *client) stopPod() error {
	id := c.options.arguments[1]
	if _, err := c.runtime.StopPodSandbox(c.ctx, &cri.StopPodSandboxRequest{PodSandboxId: id}); err != nil {
		return fmt.Errorf("stopping the pod sandbox %q: %w", id, err)
	}
	fmt.Printf("Stopped sandbox %s\n", id)
	return nil
}

func (c *client) removePod() error {
	id := c.options.arguments[1]
	if _, err := c.runtime.RemovePodSandbox(c.ctx, &cri.RemovePodSandboxRequest{PodSandboxId: id}); err != nil {
		return fmt.Errorf("removing the pod sandbox %q: %w", id, err)
	}
	fmt.Printf("Removed sandbox %s\n", id)
	return nil
}

func (c *client) pull() error {
	name := c.options.arguments[1]
	reply, err := c.images.PullImage(c.ctx, &cri.PullImageRequest{Image: &cri.ImageSpec{Image: name}})
	if err != nil {
		return fmt.Errorf("pulling image: %w", err)
	}
	fmt.Printf("Image is up to date for %s\n", reply.ImageRef)
	return nil
}

func (c *client) inspectImage() error {
	name := c.options.arguments[1]
	reply, err := c.images.ImageStatus(c.ctx, &cri.ImageStatusRequest{Image: &cri.ImageSpec{Image: name}})
	if err != nil {
		return fmt.Errorf("getting status of image %q: %w", name, err)
	}
	if reply.Image == nil {
		return fmt.Errorf("no such image %q present", name)
	}
	return printJSON(map[string]interface{}{"status": reply.Image})
}

func (c *client) logs() error {
	id := c.options.arguments[1]
	list, err := c.runtime.ListContainers(c.ctx, &cri.ListContainersRequest{Filter: &cri.ContainerFilter{Id: id}})
	if err != nil {
		return fmt.Errorf("looking for container %q: %w", id, err)
	}
	if len(list.Containers) != 1 {
		return fmt.Errorf("%d containers are called %q", len(list.Containers), id)
	}
	reply, err := c.runtime.ContainerStatus(c.ctx, &cri.ContainerStatusRequest{ContainerId: list.Containers[0].Id})
	if err != nil {
		return fmt.Errorf("getting status of container %q: %w", id, err)
	}
	file, err := os.Open(reply.Status.LogPath)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(os.Stdout, file)
	return err
}

// printRows prints a table, or only the first column in full when it should be quiet.
func (c *client) printRows(rows [][]string) error {
	if c.options.quiet {
		for _, row := range rows[1:] {
			fmt.Println(row[0])
		}
		return nil
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for i, row := range rows {
		if i > 0 {
			row[0] = short(row[0])
		}
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

func short(id string) string {
	if len(id) > 13 {
		return id[:13]
	}
	return id
}

func printJSON(value interface{}) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	return nil
}
