package booster

import (
	"fmt"

	"boost/dataset"
	"boost/objectives"
)

// takePositions takes the positions of rows, which lambdarank learns the biases of.
func (tg *target) takePositions(ex *examples, table *dataset.Table, p *Params) error {
	positions, err := table.Positions()
	if err != nil {
		return err
	}
	switch name := tg.objective.Name(); {
	case positions == nil && p.PositionL2 != 0:
		return fmt.Errorf("%w: objective.position_l2 = %v is a penalty of positions: name their column, data.position = \"…\", or leave the key out", ErrParams, p.PositionL2)
	case positions == nil:
		return nil
	case name != "lambdarank":
		return fmt.Errorf("%w: data.position: the biases of positions are learned by objective lambdarank, not %s: leave the key out; data.side_files = \"ignore\" passes over a file beside the table that holds them", ErrParams, name)
	case p.Boosting == RandomForest:
		return fmt.Errorf("%w: data.position: a random forest has no rounds in which biases of positions could be learned: take train.boosting = \"gbdt\" or leave the key out", ErrParams)
	}
	ex.Positions = objectives.NewPositionBias(positions, p.PositionL2, p.LearningRate)
	return nil
}
