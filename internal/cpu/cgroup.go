package cpu

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// cpuQuota returns the lowest CPU quota of the process's control groups in whole
// CPUs, rounded up; 0 for none.
func (h host) cpuQuota() int {
	lowest := 0
	h.eachGroup("cpu", func(dir string, version int) {
		var quota, period string
		if version == 2 {
			quota, period, _ = strings.Cut(h.read(path.Join(dir, "cpu.max")), " ")
		} else {
			quota, period = h.read(path.Join(dir, "cpu.cfs_quota_us")), h.read(path.Join(dir, "cpu.cfs_period_us"))
		}
		q, err1 := strconv.ParseInt(quota, 10, 64) // "max" and "-1" are none
		p, err2 := strconv.ParseInt(period, 10, 64)
		if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
			return
		}
		cpus := int(min((q-1)/p+1, 1<<20))
		if lowest == 0 || cpus < lowest {
			lowest = cpus
		}
	})
	return lowest
}

// memoryQuota returns the lowest memory limit of the process's control groups in
// bytes; 0 for none.
func (h host) memoryQuota() int64 {
	lowest := int64(0)
	h.eachGroup("memory", func(dir string, version int) {
		name := "memory.max"
		if version == 1 {
			name = "memory.limit_in_bytes"
		}
		limit, err := strconv.ParseInt(h.read(path.Join(dir, name)), 10, 64)
		if err == nil && limit > 0 && (lowest == 0 || limit < lowest) {
			lowest = limit
		}
	})
	return lowest
}

// eachGroup calls visit for every directory of control groups that the process is
// in, from its own up to the root of the mount: a limit of any holds for it. Version
// 1 keeps a hierarchy per controller, version 2 one for all; a machine may have both.
func (h host) eachGroup(controller string, visit func(dir string, version int)) {
	mounts := h.read("/proc/self/mountinfo")
	for line := range strings.Lines(h.read("/proc/self/cgroup")) {
		// hierarchy-ID:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		version := 1
		if fields[0] == "0" && fields[1] == "" {
			version = 2
		} else if !slices.Contains(strings.Split(fields[1], ","), controller) {
			continue
		}
		mount, root := groupMount(mounts, version, controller)
		if mount == "" {
			continue
		}
		// The mount may show only a part of the hierarchy, which then lies below root.
		below, ok := strings.CutPrefix(path.Clean(fields[2]), strings.TrimSuffix(root, "/"))
		if !ok || strings.HasPrefix(below, "/..") {
			below = "/"
		}
		for dir := path.Join(mount, below); ; dir = path.Dir(dir) {
			visit(dir, version)
			if dir == mount || dir == "/" {
				break
			}
		}
	}
}

// groupMount finds in the text of mountinfo where the hierarchy is mounted and which of its
// directories stands there; "" if it is not mounted.
func groupMount(mounts string, version int, controller string) (mount, root string) {
	for line := range strings.Lines(mounts) {
		// ID parent device root mount options… - type source super-options
		before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		isOurs := version == 2 && right[0] == "cgroup2" ||
			version == 1 && right[0] == "cgroup" && slices.Contains(strings.Split(right[2], ","), controller)
		if isOurs {
			return path.Clean(unescape(left[4])), unescape(left[3])
		}
	}
	return "", ""
}

// unescape undoes mountinfo's octal escapes of space, tab, line feed and backslash.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace
