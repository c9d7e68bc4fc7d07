package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/creack/pty"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// processes is a container runtime whose containers are processes of this machine.
type processes struct{}

func (processes) ExecInContainer(ctx context.Context, _, _, _ string, words []string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	var err error
	if tty {
		err = runInTerminal(command, in, out, resize)
	} else {
		err = run(command, in, out, errOut)
	}
	if exit, ok := err.(*exec.ExitError); ok {
		return utilexec.CodeExitError{Err: err, Code: exit.ExitCode()}
	}
	return err
}

// AttachContainer attaches to a shell, of which each pod is thought to have one.
func (p processes) AttachContainer(ctx context.Context, name, uid, container string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	return p.ExecInContainer(ctx, name, uid, container, []string{"sh"}, in, out, errOut, tty, resize, 0)
}

func (processes) PortForward(_ context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer conn.Close()
	go func() {
		io.Copy(conn, stream)
		// As container runtimes do: the end of what the client writes is the end of what the port reads.
		conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, conn)
	return err
}

func run(command *exec.Cmd, in io.Reader, out, errOut io.Writer) error {
	if out != nil {
		command.Stdout = out
	}
	if errOut != nil {
		command.Stderr = errOut
	}
	if in != nil {
		pipe, err := command.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			io.Copy(pipe, in)
			pipe.Close()
		}()
	}
	return command.Run()
}

func runInTerminal(command *exec.Cmd, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize) error {
	terminal, err := pty.Start(command)
	if err != nil {
		return err
	}
	defer terminal.Close()
	go func() {
		for size := range resize {
			pty.Setsize(terminal, &pty.Winsize{Rows: size.Height, Cols: size.Width})
		}
	}()
	if in != nil {
		go io.Copy(terminal, in)
	}
	copied := make(chan struct{})
	go func() {
		copyOut(out, terminal)
		close(copied)
	}()
	err = command.Wait()
	<-copied
	return err
}

// copyOut copies to the terminal's end, which Linux says with an error.
func copyOut(out io.Writer, terminal *os.File) {
	io.Copy(out, terminal)
}
