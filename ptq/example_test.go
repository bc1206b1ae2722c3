package ptq_test

import (
	"fmt"
	"log"

	"boost/ptq"
)

func ExampleQuantize() {
	values := []float64{1, -2, 3, 0.4, 20}
	for _, c := range []ptq.Calibration{
		{},
		{Method: ptq.Percentile, Percent: 80},
		{Method: ptq.MSE},
		{Method: ptq.Given, Scale: 0.5},
	} {
		v, err := ptq.Quantize(ptq.I4, c, values)
		if err != nil {
			log.Fatal(err)
		}
		e, _ := v.Errors()
		fmt.Printf("%s: codes %v, largest error %.2f\n", c, v.Codes(), e.Max)
	}
	// Output:
	// default: codes [0 -1 1 0 7], largest error 1.00
	// percentile 80: codes [2 -5 7 1 7], largest error 17.00
	// mse: codes [0 -1 1 0 7], largest error 1.00
	// given 0.5: codes [2 -4 6 1 7], largest error 16.50
}

// What a file keeps of a version is enough to read it as it was.
func ExampleRestore() {
	v, err := ptq.Quantize(ptq.Binary, ptq.Calibration{}, []float64{0.6, -0.4, 0.5})
	if err != nil {
		log.Fatal(err)
	}
	native := v.AppendNative(nil)
	back, err := ptq.Restore(ptq.Stored{DType: ptq.Binary, Len: 3, Scales: v.Scales(), Native: native})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%08b: %v %v %v\n", native, back.At(0), back.At(1), back.At(2))
	// Output: [10100000]: 0.5 -0.5 0.5
}

func ExampleParseDType() {
	for _, name := range []string{"bf16", "Int8", "fp5"} {
		d, err := ptq.ParseDType(name)
		if err != nil {
			fmt.Println("no such type")
			continue
		}
		fmt.Println(d, d.Bits())
	}
	// Output:
	// BF16 16
	// I8 8
	// no such type
}
