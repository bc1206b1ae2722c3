package booster

import "fmt"

// checkBagging returns what a mean of folds' models does not go together with.
func (p *Params) checkBagging() []error {
	var other string
	switch {
	case p.BagFolds == 0:
		return nil
	case p.BagFolds == 1:
		return []error{fmt.Errorf("train.bag_folds = 1: a part needs others that are trained on: give 2 or more, or 0 for one model of all rows")}
	case p.ValidShare > 0 || p.ValidBy != "":
		other = "train.valid_share, train.valid_by"
	case p.Retrain:
		other = "train.retrain"
	case p.TimeLimit > 0:
		other = "train.time_limit"
	case p.ErrorFeedback:
		other = "quantize.error_feedback"
	default:
		return nil
	}
	return []error{fmt.Errorf("train.bag_folds = %d, which train.effort = \"best\" sets, divides the rows itself and trains folds side by side: leave %s out, or set train.bag_folds = 0", p.BagFolds, other)}
}
