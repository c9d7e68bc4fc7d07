// Package cost tells what this process has used so far.
package cost

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// CPU is the seconds that all threads have spent, in the program and in the kernel.
func CPU() float64 {
	var found syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &found); err != nil {
		panic(err)
	}
	return float64(found.Utime.Sec+found.Stime.Sec) + float64(found.Utime.Usec+found.Stime.Usec)/1e6
}

// Peak is the most memory that was resident, in MB; getrusage would count that of the process before exec.
func Peak() float64 { return status("VmHWM:") }

// Resident is the memory that is resident now, in MB.
func Resident() float64 { return status("VmRSS:") }

func status(line string) float64 {
	read, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	var kilobytes float64
	_, rest, _ := strings.Cut(string(read), line)
	if _, err = fmt.Sscanf(strings.TrimSpace(rest), "%f", &kilobytes); err != nil {
		panic(err)
	}
	return kilobytes * 1024 / 1e6
}
