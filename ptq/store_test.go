package ptq_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"boost/ptq"
)

func storeOf(t testing.TB, values []float64) *ptq.WeightStore {
	t.Helper()
	s, err := ptq.NewWeightStore(values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func morph(t testing.TB, s *ptq.WeightStore, d ptq.DType, c ptq.Calibration) *ptq.Version {
	t.Helper()
	v, err := s.Morph(d, c)
	if err != nil {
		t.Fatalf("%s, %s: %v", d, c, err)
	}
	return v
}

func TestStore(t *testing.T) {
	values := draw(1, 100, (*rand.Rand).NormFloat64)
	t.Run("S4.1/versions", func(t *testing.T) {
		g := groups(t, []int{40, 100}, nil)
		s, err := ptq.NewWeightStore(values, g)
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != 100 || s.Bounds() != g || s.Derived() {
			t.Errorf("%d values, bounds %v, derived %v", s.Len(), s.Bounds(), s.Derived())
		}
		i8 := morph(t, s, ptq.I8, ptq.Calibration{})
		i4 := morph(t, s, ptq.I4, ptq.Calibration{Groups: s.Bounds()})
		// I4's scales leave those of I8 alone.
		if !reflect.DeepEqual(s.Versions(), []*ptq.Version{i8, i4}) || len(i8.Scales()) != 1 || len(i4.Scales()) != 2 {
			t.Errorf("versions %v, scales %v and %v", s.Versions(), i8.Scales(), i4.Scales())
		}
		if i8.Calibration().Method != ptq.AbsMax || i4.Calibration().Groups != g {
			t.Errorf("calibrations %v and %v", i8.Calibration(), i4.Calibration())
		}
		if e, known := i4.Errors(); !known || len(e.ByGroup) != 2 || !(e.Max > 0) {
			t.Errorf("errors %v", e)
		}
	})
	t.Run("S4.2/master_is_left_alone", func(t *testing.T) {
		own := append([]float64(nil), values...)
		s := storeOf(t, own)
		for i := range own {
			own[i] = -1 // the caller's slice is the caller's
		}
		for _, d := range ptq.DTypes() {
			v := morph(t, s, d, ptq.Calibration{})
			valuesOf(v)
			v.AppendNative(nil)
			if _, err := s.SimulateF32(d, ptq.Calibration{}); err != nil {
				t.Fatal(err)
			}
			master, ok := s.Master()
			if !ok || !same(valuesOf(master), values) {
				t.Fatalf("after %s, the master has other bytes", d)
			}
		}
	})
	t.Run("S4.3/cache", func(t *testing.T) {
		s := storeOf(t, values)
		a := morph(t, s, ptq.I8, ptq.Calibration{})
		morph(t, s, ptq.I4, ptq.Calibration{})
		if morph(t, s, ptq.I8, ptq.Calibration{}) != a || s.Made() != 2 {
			t.Errorf("%d versions made, want 2", s.Made())
		}
		doubled := make([]float64, len(values))
		for i, x := range values {
			doubled[i] = 2 * x
		}
		if err := s.SetMaster(doubled, nil); err != nil {
			t.Fatal(err)
		}
		if len(s.Versions()) != 0 || s.Made() != 2 {
			t.Errorf("a new master leaves %d versions, %d made", len(s.Versions()), s.Made())
		}
		b := morph(t, s, ptq.I8, ptq.Calibration{})
		if s.Made() != 3 || b.Scales()[0] != 2*a.Scales()[0] {
			t.Errorf("%d made, scale %v after %v", s.Made(), b.Scales(), a.Scales())
		}
	})
	t.Run("S4.7/own_type", func(t *testing.T) {
		s := storeOf(t, values)
		v := morph(t, s, ptq.F64, ptq.Calibration{Groups: groups(t, []int{100}, nil)})
		if master, _ := s.Master(); v != master || s.Made() != 0 {
			t.Error("F64 of a float64 master is not the master")
		}
		if e, known := v.Errors(); !known || e.Max != 0 || e.Squared != 0 {
			t.Errorf("errors %v", e)
		}
		small := []float32{1, .1, math.MaxFloat32}
		f, err := storeOfF32(small)
		if err != nil {
			t.Fatal(err)
		}
		v = morph(t, f, ptq.F32, ptq.Calibration{})
		if master, _ := f.Master(); v != master || !reflect.DeepEqual(v.Codes(), small) {
			t.Error("F32 of a float32 master is not the master")
		}
		wide := morph(t, f, ptq.F64, ptq.Calibration{})
		if want := []float64{1, float64(float32(.1)), math.MaxFloat32}; !reflect.DeepEqual(wide.Codes(), want) {
			t.Errorf("F64 of a float32 master is %v, want %v", wide.Codes(), want)
		}
		rounded := morph(t, storeOf(t, []float64{.1, 1 + 0x1p-24, 1 + 0x1.8p-23}), ptq.F32, ptq.Calibration{})
		if want := []float32{.1, 1, 1 + 0x1p-22}; !reflect.DeepEqual(rounded.Codes(), want) {
			t.Errorf("F32 of a float64 master is %v, want %v", rounded.Codes(), want)
		}
	})
	t.Run("S4.7/float32_scales", func(t *testing.T) {
		f, err := storeOfF32([]float32{1, -.3})
		if err != nil {
			t.Fatal(err)
		}
		v := morph(t, f, ptq.I8, ptq.Calibration{})
		if got, want := v.Scales()[0], float64(float32(1./127)); got != want {
			t.Errorf("scale %v over a float32 master, want %v", got, want)
		}
		if morph(t, f, ptq.I8, ptq.Calibration{Float32Scales: true}) != v {
			t.Error("asked for by name, they make another version")
		}
	})
	t.Run("S4.7/errors", func(t *testing.T) {
		var bad ptq.ErrNotFinite
		if _, err := ptq.NewWeightStore([]float64{0, math.NaN()}, nil); !errors.As(err, &bad) || bad.Index != 1 {
			t.Errorf("NaN in a master: %v", err)
		}
		if _, err := storeOfF32([]float32{0, 1, float32(math.Inf(-1))}); !errors.As(err, &bad) || bad.Index != 2 {
			t.Errorf("infinity in a master: %v", err)
		}
		var wrong ptq.ErrGroups
		if _, err := ptq.NewWeightStore(values, groups(t, []int{99}, nil)); !errors.As(err, &wrong) {
			t.Errorf("bounds of 99 values: %v", err)
		}
		s := storeOf(t, []float64{1, 1e6})
		if err := s.SetMaster([]float64{math.Inf(1)}, nil); err == nil || s.Len() != 2 {
			t.Errorf("a master refused (%v) leaves %d values", err, s.Len())
		}
		var over ptq.ErrOverflow
		if _, err := s.Remorph(ptq.F16, ptq.Calibration{}); !errors.As(err, &over) {
			t.Errorf("10⁶ in F16 anew: %v", err)
		}
		if _, err := s.SimulateF32(ptq.F16, ptq.Calibration{}); !errors.As(err, &over) {
			t.Errorf("10⁶ in F16 as float32: %v", err)
		}
		for range 2 {
			if _, err := s.Morph(ptq.F16, ptq.Calibration{}); !errors.As(err, &over) || over.Index != 1 {
				t.Errorf("10⁶ in F16: %v", err)
			}
		}
		if len(s.Versions()) != 0 {
			t.Error("what could not be made is kept")
		}
	})
}

func TestSimulate(t *testing.T) {
	t.Run("S4.16/S4.18/golden", func(t *testing.T) {
		s := storeOf(t, []float64{.437})
		got, err := s.SimulateF32(ptq.I8, given(.01))
		if err != nil || math.Float32bits(got[0]) != 0x3ee147ae {
			t.Errorf("%v (%v), want 0.44", got, err)
		}
		e, _ := morph(t, s, ptq.I8, given(.01)).Errors()
		if math.Abs(e.Max-.003) > 1e-15 {
			t.Errorf("error %v, want 0.003", e.Max)
		}
	})
	values := draw(1, 50, (*rand.Rand).NormFloat64)
	for _, d := range ptq.DTypes() {
		t.Run("S4.16/as_predicted/"+d.String(), func(t *testing.T) {
			s := storeOf(t, values)
			wide, err := s.SimulateF64(d, ptq.Calibration{})
			if err != nil {
				t.Fatal(err)
			}
			small, err := s.SimulateF32(d, ptq.Calibration{})
			if err != nil {
				t.Fatal(err)
			}
			v := morph(t, s, d, ptq.Calibration{})
			for i := range values {
				if wide[i] != v.At(i) || small[i] != float32(v.At(i)) {
					t.Fatalf("value %d: %v and %v simulated, %v read", i, wide[i], small[i], v.At(i))
				}
			}
		})
	}
	t.Run("S4.16/overflow", func(t *testing.T) {
		var over ptq.ErrOverflow
		if _, err := storeOf(t, []float64{1e300}).SimulateF32(ptq.I8, ptq.Calibration{}); !errors.As(err, &over) {
			t.Errorf("10³⁰⁰ in float32: %v", err)
		}
	})
}

func TestIdempotence(t *testing.T) {
	values := draw(1, 200, (*rand.Rand).NormFloat64)
	cut := func(ends ...int) *ptq.Groups { return groups(t, ends, nil) }
	rows := make([]float64, 200)
	for i := range rows {
		rows[i] = float64(i)
	}
	// Calibrations of I8 that differ; each twice, with groups and weights built anew.
	all := func() []ptq.Calibration {
		return []ptq.Calibration{
			{}, {Float32Scales: true}, {Method: ptq.MSE}, {Method: ptq.Percentile, Percent: 99},
			{Method: ptq.Percentile, Percent: 98}, given(.01), given(.02), {Groups: cut(200)}, {Groups: cut(100, 200)},
			{Groups: groups(t, []int{50, 100, 200}, []int{0, 1, 0})}, {Groups: groups(t, []int{50, 100, 200}, []int{0, 1, 1})},
			{Method: ptq.MSE, Weights: weights(t, rows...)}, {Method: ptq.MSE, Weights: weights(t, append(rows[1:], 5)...)},
		}
	}
	t.Run("S4.17/by_calibration", func(t *testing.T) {
		s := storeOf(t, values)
		var first []*ptq.Version
		for i, c := range all() {
			v := morph(t, s, ptq.I8, c)
			for k, o := range first {
				if o == v {
					t.Fatalf("calibration %d has the version of %d", i, k)
				}
			}
			first = append(first, v)
		}
		for i, c := range all() {
			if morph(t, s, ptq.I8, c) != first[i] {
				t.Errorf("calibration %d is made twice", i)
			}
		}
		if s.Made() != len(first) {
			t.Errorf("%d versions made, want %d", s.Made(), len(first))
		}
	})
	t.Run("S4.17/default_by_name", func(t *testing.T) {
		s := storeOf(t, values)
		if morph(t, s, ptq.I8, ptq.Calibration{Weights: weights(t, rows...)}) != morph(t, s, ptq.I8, ptq.Calibration{Method: ptq.AbsMax}) || s.Made() != 1 {
			t.Error("absmax is another version by its name")
		}
		if morph(t, s, ptq.BF16, ptq.Calibration{Float32Scales: true}) != morph(t, s, ptq.BF16, none) {
			t.Error("none is another version by its name")
		}
	})
	t.Run("S4.17/scale_never_stale", func(t *testing.T) {
		s := storeOf(t, []float64{1})
		for _, scale := range []float64{.5, .25, .5, .125} {
			if got := morph(t, s, ptq.I8, given(scale)).Codes().([]int8)[0]; float64(got) != 1/scale {
				t.Errorf("scale %v: code %d", scale, got)
			}
		}
	})
	t.Run("S4.17/remorph", func(t *testing.T) {
		s := storeOf(t, values)
		a := morph(t, s, ptq.I8, ptq.Calibration{})
		b, err := s.Remorph(ptq.I8, ptq.Calibration{})
		if err != nil || a == b || s.Made() != 2 || !same(valuesOf(a), valuesOf(b)) {
			t.Errorf("remade: the same %v, %d made (%v)", a == b, s.Made(), err)
		}
		if morph(t, s, ptq.I8, ptq.Calibration{}) != b || len(s.Versions()) != 1 {
			t.Error("the remade version did not take the place of the one before")
		}
		if v, err := s.Remorph(ptq.U4, ptq.Calibration{}); err != nil || morph(t, s, ptq.U4, ptq.Calibration{}) != v {
			t.Errorf("remaking what was not there: %v", err)
		}
		if v, err := s.Remorph(ptq.F64, ptq.Calibration{}); err != nil || v.DType() != ptq.F64 {
			t.Errorf("remaking the master: %v", err)
		}
	})
	t.Run("S4.17/one_maker", func(t *testing.T) {
		s := storeOf(t, draw(1, 20_000, (*rand.Rand).NormFloat64))
		got := make([]*ptq.Version, 16)
		var wait sync.WaitGroup
		for i := range got {
			wait.Go(func() { got[i], _ = s.Morph(ptq.I4, ptq.Calibration{Method: ptq.MSE}) })
		}
		wait.Wait()
		for _, v := range got {
			if v == nil || v != got[0] {
				t.Fatal("callers at the same time got different versions")
			}
		}
		if s.Made() != 1 {
			t.Errorf("%d versions made for 16 callers", s.Made())
		}
	})
}

func TestUnpack(t *testing.T) {
	values := draw(1, 60, (*rand.Rand).NormFloat64)
	for _, d := range ptq.DTypes() {
		t.Run("S4.19/"+d.String(), func(t *testing.T) {
			before := storeOf(t, values)
			v, err := ptq.Restore(stored(morph(t, before, d, ptq.Calibration{})))
			if err != nil {
				t.Fatal(err)
			}
			s, err := ptq.OpenWeightStore(v, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Master(); ok || s.Derived() || s.Len() != 60 {
				t.Fatal("a store of a version has a master")
			}
			if got := morph(t, s, d, ptq.Calibration{}); got != v || s.Made() != 0 {
				t.Error("the stored version is not the one that is used")
			}
			if _, err := s.Morph((d+1)%21, ptq.Calibration{}); !errors.Is(err, ptq.ErrNoMaster) {
				t.Errorf("another type without a master: %v", err)
			}
			if _, err := s.Remorph(d, ptq.Calibration{}); !errors.Is(err, ptq.ErrNoMaster) {
				t.Errorf("remaking without a master: %v", err)
			}
			if err := s.Unpack((d+1)%21, ptq.Calibration{}); !errors.Is(err, ptq.ErrNoMaster) {
				t.Errorf("unpacking what is not there: %v", err)
			}
			if err := s.Unpack(d, ptq.Calibration{}); err != nil {
				t.Fatal(err)
			}
			master, ok := s.Master()
			want := ptq.F64
			if d == ptq.F32 {
				want = ptq.F32
			}
			if !ok || !s.Derived() || master.DType() != want || !same(valuesOf(master), valuesOf(v)) {
				t.Errorf("the master is %v, want the values of %s in %s", ok, d, want)
			}
			if err := s.Unpack(d, ptq.Calibration{}); !errors.Is(err, ptq.ErrMaster) {
				t.Errorf("unpacking again: %v", err)
			}
			if got := morph(t, s, d, ptq.Calibration{}); d != ptq.F64 && d != ptq.F32 && got != v {
				t.Error("unpacking dropped the version")
			}
			if err := s.SetMaster(values, nil); err != nil || s.Derived() {
				t.Errorf("true values leave the mark of derived ones (%v)", err)
			}
			if err := before.Unpack(d, ptq.Calibration{}); !errors.Is(err, ptq.ErrMaster) {
				t.Errorf("unpacking over a true master: %v", err)
			}
			if m, _ := before.Master(); !same(valuesOf(m), values) {
				t.Error("a true master was overwritten")
			}
		})
	}
	t.Run("S4.19/add", func(t *testing.T) {
		s := storeOf(t, values)
		v := quantize(t, ptq.I8, ptq.Calibration{}, values)
		if err := s.Add(v); err != nil {
			t.Fatal(err)
		}
		if morph(t, s, ptq.I8, ptq.Calibration{}) != v {
			t.Error("a version beside the master is made again")
		}
		if err := s.Add(v); !errors.Is(err, ptq.ErrExists) {
			t.Errorf("added twice: %v", err)
		}
		if err := s.Add(quantize(t, ptq.F64, ptq.Calibration{}, values)); !errors.Is(err, ptq.ErrExists) {
			t.Errorf("a second F64: %v", err)
		}
		var wrong ptq.ErrGroups
		if err := s.Add(quantize(t, ptq.I8, ptq.Calibration{}, values[1:])); !errors.As(err, &wrong) {
			t.Errorf("a version of 59 values: %v", err)
		}
		if _, err := ptq.OpenWeightStore(v, groups(t, []int{59}, nil)); !errors.As(err, &wrong) {
			t.Errorf("bounds of 59 values: %v", err)
		}
	})
}

func TestGetActive(t *testing.T) {
	values := draw(1, 60, (*rand.Rand).NormFloat64)
	later := draw(2, 60, (*rand.Rand).NormFloat64)
	get := func(t *testing.T, s *ptq.WeightStore, missing ptq.Missing) ptq.Active {
		t.Helper()
		a, err := s.GetActive(ptq.I8, ptq.Calibration{}, missing)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	t.Run("S4.31/made_first", func(t *testing.T) {
		s := storeOf(t, values)
		if a := get(t, s, ptq.Make); a.Existed || a.Master || a.Version.DType() != ptq.I8 {
			t.Errorf("%+v", a)
		}
		if a := get(t, s, ptq.Make); !a.Existed || s.Made() != 1 {
			t.Errorf("%+v, %d made", a, s.Made())
		}
		// After a refit, I8 is that of the new values.
		if err := s.SetMaster(later, nil); err != nil {
			t.Fatal(err)
		}
		a := get(t, s, ptq.Make)
		if fresh := quantize(t, ptq.I8, ptq.Calibration{}, later); a.Existed || !same(valuesOf(a.Version), valuesOf(fresh)) {
			t.Error("after a refit, I8 is not that of the new values")
		}
	})
	t.Run("S4.31/auto", func(t *testing.T) {
		s := storeOf(t, values)
		a := get(t, s, ptq.Auto)
		if master, _ := s.Master(); a.Existed || !a.Master || a.Version != master || s.Made() != 0 {
			t.Errorf("%+v, %d made", a, s.Made())
		}
		v := morph(t, s, ptq.I8, ptq.Calibration{})
		if a := get(t, s, ptq.Auto); !a.Existed || a.Master || a.Version != v {
			t.Errorf("%+v", a)
		}
	})
	t.Run("S4.31/errors", func(t *testing.T) {
		s, err := ptq.OpenWeightStore(quantize(t, ptq.I4, ptq.Calibration{}, values), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, missing := range []ptq.Missing{ptq.Make, ptq.Auto} {
			if _, err := s.GetActive(ptq.I8, ptq.Calibration{}, missing); !errors.Is(err, ptq.ErrNoMaster) {
				t.Errorf("I8 of a store of I4: %v", err)
			}
			if _, err := s.GetActive(ptq.F64, ptq.Calibration{Method: ptq.MSE}, missing); err == nil {
				t.Error("a calibration that makes no sense is no error")
			}
		}
	})
	t.Run("S4.31/allocations", func(t *testing.T) {
		s := storeOf(t, values)
		get(t, s, ptq.Make)
		if n := testing.AllocsPerRun(100, func() { _, _ = s.GetActive(ptq.I8, ptq.Calibration{}, ptq.Make) }); n != 0 {
			t.Errorf("%v allocations to get what is there", n)
		}
	})
}

// TestConcurrentUse has readers, makers and changes of the master at the same time; every
// version read is one of a master that there was, as a whole.
func TestConcurrentUse(t *testing.T) {
	t.Run("S4.3/race", func(t *testing.T) {
		const n, rounds = 500, 40
		master := func(k int) []float64 {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(k + 1)
			}
			return values
		}
		s := storeOf(t, master(0))
		types := []ptq.DType{ptq.F32, ptq.BF16, ptq.I8, ptq.U4, ptq.FP8E4M3, ptq.Ternary}
		var work sync.WaitGroup
		work.Go(func() {
			for k := range rounds {
				if err := s.SetMaster(master(k), nil); err != nil {
					t.Error(err)
				}
			}
		})
		for r := range 4 {
			work.Go(func() {
				dst := make([]float64, n)
				for i := range 4 * rounds {
					d := types[(i+r)%len(types)]
					var v *ptq.Version
					var err error
					switch {
					case i%7 == 0:
						v, err = s.Remorph(d, ptq.Calibration{})
					default:
						var a ptq.Active
						a, err = s.GetActive(d, ptq.Calibration{}, ptq.Missing(i%2))
						v = a.Version
					}
					if err != nil {
						t.Error(err)
						return
					}
					v.DecodeRange(dst, 0)
					for _, x := range dst {
						if x != dst[0] || math.Abs(x-math.Round(x)) > 1e-3 {
							t.Errorf("%s reads %v and %v", d, dst[0], x)
							return
						}
					}
					s.Versions()
				}
			})
		}
		work.Wait()
	})
}

// storeOfF32 returns a store whose master is float32.
func storeOfF32(values []float32) (*ptq.WeightStore, error) {
	s := &ptq.WeightStore{}
	return s, s.SetMasterF32(values, nil)
}
