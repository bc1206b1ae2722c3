package cpu

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/cpuid/v2"
)

// tree makes a file system from path → text.
func tree(files map[string]string) fstest.MapFS {
	t := fstest.MapFS{}
	for name, text := range files {
		t[strings.TrimPrefix(name, "/")] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return t
}

// with returns base and more files.
func with(base map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for k, v := range base {
		all[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

const (
	v2Mount = "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"
	v1Mount = "33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"34 32 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
)

// eight CPUs, two to a core: 0 and 4, 1 and 5, …
func smt() map[string]string {
	files := map[string]string{"/proc/self/status": "Name:\tboost\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0"}
	for i := range 8 {
		list := string(rune('0'+i%4)) + "," + string(rune('4'+i%4))
		files["/sys/devices/system/cpu/cpu"+string(rune('0'+i))+"/topology/thread_siblings_list"] = list
	}
	return files
}

func TestThreads(t *testing.T) {
	v2 := with(smt(), "/proc/self/mountinfo", v2Mount, "/proc/self/cgroup", "0::/a/b")
	v1 := with(smt(), "/proc/self/mountinfo", v1Mount, "/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/id\n1:name=systemd:/y")
	cases := []struct {
		name        string
		files       map[string]string
		cpus, cores int
		want        int
	}{
		{"no_files", nil, 6, 0, 6},
		{"no_files_but_cpuid", nil, 8, 4, 4},
		{"one_cpu_of_many_cores", nil, 1, 16, 1},
		{"smt", smt(), 8, 0, 4},
		{"affinity", with(smt(), "/proc/self/status", "Cpus_allowed_list:\t1,5-6"), 3, 4, 2},
		{"no_topology", map[string]string{"/proc/self/status": "Cpus_allowed_list:\t0-2"}, 3, 0, 3},
		{"broken_list", with(smt(), "/proc/self/status", "Cpus_allowed_list:\t3-1"), 8, 0, 8},
		{"v2_no_limit", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "max 100000"), 8, 0, 4},
		{"v2_one", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "100000 100000"), 8, 0, 1},
		{"v2_rounded_up", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "250000 100000"), 8, 0, 3},
		{"v2_below_one", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "20000 100000"), 8, 0, 1},
		{"v2_above_cores", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "1600000 100000"), 8, 0, 4},
		{"v2_parent_is_lower", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "300000 100000", "/sys/fs/cgroup/a/cpu.max", "200000 100000"), 8, 0, 2},
		{"v2_root_of_mount", with(v2, "/sys/fs/cgroup/cpu.max", "100000 100000"), 8, 0, 1},
		{"v2_garbage", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "many"), 8, 0, 4},
		{"v2_zero_period", with(v2, "/sys/fs/cgroup/a/b/cpu.max", "1 0"), 8, 0, 4},
		{"v2_namespace", with(v2, "/proc/self/cgroup", "0::/../other", "/sys/fs/cgroup/cpu.max", "200000 100000"), 8, 0, 2},
		{"v2_part_mounted", with(v2, "/proc/self/cgroup", "0::/docker/id/sub",
			"/proc/self/mountinfo", `31 24 0:27 /docker/id /mnt/c\040g rw - cgroup2 c rw`,
			"/mnt/c g/sub/cpu.max", "200000 100000"), 8, 0, 2},
		{"v1", with(v1, "/sys/fs/cgroup/cpu,cpuacct/docker/id/cpu.cfs_quota_us", "150000",
			"/sys/fs/cgroup/cpu,cpuacct/docker/id/cpu.cfs_period_us", "100000"), 8, 0, 2},
		{"v1_no_limit", with(v1, "/sys/fs/cgroup/cpu,cpuacct/docker/id/cpu.cfs_quota_us", "-1",
			"/sys/fs/cgroup/cpu,cpuacct/docker/id/cpu.cfs_period_us", "100000"), 8, 0, 4},
		{"v1_parent", with(v1, "/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "50000",
			"/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "50000"), 8, 0, 1},
		{"not_mounted", with(v2, "/proc/self/mountinfo", "1 2 0:3 / /proc rw - proc proc rw"), 8, 0, 4},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := (host{tree(c.files), c.cpus, c.cores}).threads(); got != c.want {
				t.Errorf("threads = %d, want %d", got, c.want)
			}
		})
	}
	if n := Threads(); n < 1 || n > runtime.NumCPU() {
		t.Errorf("Threads() = %d on %d CPUs", n, runtime.NumCPU())
	}
}

func TestMemory(t *testing.T) {
	meminfo := map[string]string{"/proc/meminfo": "MemTotal:       8388608 kB\nMemFree: 1 kB"}
	v2 := with(meminfo, "/proc/self/mountinfo", v2Mount, "/proc/self/cgroup", "0::/a/b")
	v1 := with(meminfo, "/proc/self/mountinfo", v1Mount, "/proc/self/cgroup", "5:memory:/x")
	cases := []struct {
		name     string
		files    map[string]string
		physical int64
		want     int64
	}{
		{"unknown", nil, 0, 0},
		{"system_call", nil, 1 << 34, 1 << 34},
		{"meminfo", meminfo, 0, 8 << 30},
		{"v2_max", with(v2, "/sys/fs/cgroup/a/b/memory.max", "max"), 0, 8 << 30},
		{"v2", with(v2, "/sys/fs/cgroup/a/b/memory.max", "1073741824"), 0, 1 << 30},
		{"v2_parent", with(v2, "/sys/fs/cgroup/a/b/memory.max", "1073741824", "/sys/fs/cgroup/a/memory.max", "5000"), 0, 5000},
		{"v1", with(v1, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "65536"), 0, 65536},
		{"v1_no_limit", with(v1, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712"), 0, 8 << 30},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := (host{files: tree(c.files)}).memoryLimit(c.physical); got != c.want {
				t.Errorf("memory limit = %d, want %d", got, c.want)
			}
		})
	}
	if runtime.GOOS == "linux" && MemoryLimit() <= 0 {
		t.Errorf("MemoryLimit() = %d on Linux", MemoryLimit())
	}
}

func TestCaches(t *testing.T) {
	files := map[string]string{}
	for i, c := range [][3]string{{"1", "Data", "48K"}, {"1", "Instruction", "64K"}, {"2", "Unified", "2048K"}, {"3", "Unified", "36M"}} {
		dir := "/sys/devices/system/cpu/cpu0/cache/index" + string(rune('0'+i)) + "/"
		files[dir+"level"], files[dir+"type"], files[dir+"size"] = c[0], c[1], c[2]
	}
	for _, c := range []struct {
		name       string
		files      map[string]string
		said, want int
	}{
		{"said", files, 2, 2},
		{"found", files, -1, 2 << 20},
		{"neither", nil, 0, 256 << 10},
	} {
		if got := (host{files: tree(c.files)}).l2(c.said); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if L2() <= 0 || Model() == "" {
		t.Errorf("this machine: L2 %d, model %q", L2(), Model())
	}
}

func TestLevels(t *testing.T) {
	cases := []struct {
		word     string
		best     Level
		want     Level
		noteSays string
	}{
		{"", AVX512, AVX512, ""},
		{"", Generic, Generic, ""},
		{"generic", AVX512, Generic, ""},
		{"avx2", AVX512, AVX2, ""},
		{"avx512", AVX512, AVX512, ""},
		{"avx512", AVX2, AVX2, "no avx512, using avx2"},
		{"avx2", Generic, Generic, "no avx2, using generic"},
	}
	for _, c := range cases {
		got, note, err := choose(c.word, c.best)
		if err != nil || got != c.want || !strings.Contains(note, c.noteSays) || (note == "") != (c.noteSays == "") {
			t.Errorf("choose(%q, %v) = %v, %q, %v; want %v, %q", c.word, c.best, got, note, err, c.want, c.noteSays)
		}
	}
	for _, word := range []string{"AVX2", "sse", "avx", " avx2"} {
		_, _, err := choose(word, AVX512)
		if err == nil || !strings.Contains(err.Error(), "generic, avx2, avx512") {
			t.Errorf("choose(%q): error %v, want one that lists the three words", word, err)
		}
	}
	t.Setenv(Variable, "generic")
	if got, note, err := Use(); got != Generic || note != "" || err != nil {
		t.Errorf("Use() = %v, %q, %v with generic", got, note, err)
	}
	t.Setenv(Variable, "")
	if got, _, _ := Use(); got != Best() {
		t.Errorf("Use() = %v, want the best, %v", got, Best())
	}
}

func TestBest(t *testing.T) {
	avx2 := []cpuid.FeatureID{cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT, cpuid.POPCNT}
	avx512 := append(slices.Clone(avx2), cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512VL)
	cases := []struct {
		name string
		has  []cpuid.FeatureID
		want Level
	}{
		{"none", nil, Generic},
		{"avx2", avx2, AVX2},
		{"avx2_without_bmi2", slices.DeleteFunc(slices.Clone(avx2), func(f cpuid.FeatureID) bool { return f == cpuid.BMI2 }), Generic},
		{"avx512", avx512, AVX512},
		{"avx512_without_vl", avx512[:len(avx512)-1], AVX2},
	}
	for _, c := range cases {
		got := best(func(ids ...cpuid.FeatureID) bool {
			for _, id := range ids {
				if !slices.Contains(c.has, id) {
					return false
				}
			}
			return true
		})
		if got != c.want {
			t.Errorf("%s: best = %v, want %v", c.name, got, c.want)
		}
	}
	if !assembly && Best() != Generic {
		t.Errorf("Best() = %v in a build without assembly", Best())
	}
}

func TestParsers(t *testing.T) {
	for text, want := range map[string][]int{
		"0": {0}, "0-2": {0, 1, 2}, "1,3-4": {1, 3, 4}, "": nil, "a": nil, "1-": nil, "2-1": nil, "-1": nil, "99999": nil,
	} {
		if got := parseList(text); !slices.Equal(got, want) {
			t.Errorf("parseList(%q) = %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]int{"32K": 32768, "1M": 1 << 20, "512": 512, "2G": 2 << 30, "": 0, "K": 0, "-1K": 0, "x": 0} {
		if got := parseSize(text); got != want {
			t.Errorf("parseSize(%q) = %d, want %d", text, got, want)
		}
	}
}

// The vectors of arm64 are used unless BOOST_CPU asks for plain Go; the words for other processors do not
// turn them off.
func TestNEON(t *testing.T) {
	has := runtime.GOARCH == "arm64" && assembly
	for _, c := range []struct {
		word string
		want bool
	}{{"", has}, {"avx2", has}, {"generic", false}} {
		t.Setenv(Variable, c.word)
		if got := NEON(); got != c.want {
			t.Errorf("%s=%q: %v, want %v", Variable, c.word, got, c.want)
		}
	}
}
