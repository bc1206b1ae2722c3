package peakmemory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var getProcessMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// memoryCounters is PROCESS_MEMORY_COUNTERS.
type memoryCounters struct {
	size                  uint32
	pageFaults            uint32
	peakWorkingSet        uintptr
	workingSet            uintptr
	quotaPeakPagedPool    uintptr
	quotaPagedPool        uintptr
	quotaPeakNonPagedPool uintptr
	quotaNonPagedPool     uintptr
	pagefileUsage         uintptr
	peakPagefileUsage     uintptr
}

// Bytes returns the most memory that the process has had in use, in bytes.
func Bytes() int64 {
	var c memoryCounters
	c.size = uint32(unsafe.Sizeof(c))
	ok, _, _ := getProcessMemoryInfo.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&c)), uintptr(c.size))
	if ok == 0 {
		return 0
	}
	return int64(c.peakWorkingSet)
}
