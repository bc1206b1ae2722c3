"""From a table of people to a small model. Run it in the root of a checkout, with pandas and scikit-learn."""

import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV

import boost_gbt
from boost_gbt import BoostClassifier

people = pd.read_csv("examples/adult/train.csv.gz")
others = pd.read_csv("examples/adult/test.csv.gz")
x, y = people.drop(columns="income"), people["income"]

# Texts, missing values and numbers as they are; the tenth of the rows that is held out decides when to stop.
classifier = BoostClassifier(rounds=500, learning_rate=0.1, early_stopping_rounds=30)
classifier.fit(x, y)
chance = classifier.predict_proba(others.drop(columns="income"))[:, 1]
print(
    f"{classifier.best_iteration_} rounds, AUC {roc_auc_score(others['income'] == classifier.classes_[1], chance):.4f}"
)
print(pd.Series(classifier.feature_importances_, classifier.feature_names_in_).nlargest(5))

# Parameters have the names of LightGBM, XGBoost and scikit-learn too.
search = GridSearchCV(BoostClassifier(n_estimators=60), {"num_leaves": [7, 31]}, cv=2, scoring="roc_auc").fit(x, y)
print(search.best_params_, f"{search.best_score_:.4f}")

# The model as a file for the program boost, and in less than a third of the bytes.
model: boost_gbt.Model = classifier.model_
small = model.quantize(others, max_loss="0.5%")
print(f"{len(bytes(model)):,} bytes, {len(bytes(small)):,} compressed: {small.eval(others)}")
