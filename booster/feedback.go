package booster

import (
	"fmt"

	"boost/ptq"
)

// feedBack lets scores see leaves as a form stores them: tree by tree, each with scales of its
// own by the form's default. Gradients never pass through a form; those of the next round are
// taken at the scores that stored leaves lead to.
func (r *run) feedBack() error {
	if !r.p.ErrorFeedback {
		return nil
	}
	if r.store != nil {
		return fmt.Errorf("%w: quantize.error_feedback and StoreLeaves both say what is stored of leaves", ErrParams)
	}
	form, err := ptq.ParseForm(r.p.QuantizeDType)
	if err != nil {
		return err
	}
	r.p.QuantizeDType = form.String()
	var scale ptq.Calibration
	if _, typed := form.DType(); typed {
		scale.Float32Scales = true // as compressed models keep those of trees
	}
	r.store = func(_ int, values []float64) error {
		stored, err := ptq.Encode(form, scale, values, nil)
		if err == nil {
			stored.DecodeRange(values, 0)
		}
		return err
	}
	return nil
}
