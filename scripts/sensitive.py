# Fits backend/sensitive/weights/ from the lines to tune on (testdata/tune.*, more.*, further.*). Their
# features come from the program itself, in the order of its files and lines:
#
#   go test ./backend/sensitive -run TestFigures -features build/test/features.f32
#   python3 -m venv build/test/fit && build/test/fit/bin/pip install numpy==2.4.6 scikit-learn==1.9.1
#   build/test/fit/bin/python scripts/sensitive.py build/test/features.f32
#
# Five networks that differ in their random beginning are one in the end: their outputs are
# averaged. Thresholds are those at which, of lines left out of the fit, as many are found as
# there are.
import pathlib, sys, warnings
import numpy as np
from sklearn.model_selection import KFold
from sklearn.neural_network import MLPClassifier

warnings.filterwarnings("ignore")  # it is stopped before it converges, on purpose
here = pathlib.Path(__file__).parent.parent / "backend/sensitive"
topics = "health family address money beliefs sexuality names numbers".split()
labels = [[t in line.split(" | ")[0].split() for t in topics]
          for file in sorted(here.glob("testdata/*.txt")) if not file.name.startswith("unseen")
          for line in file.read_text(encoding="utf-8").splitlines()]
Y = np.array(labels, dtype=int)
X = np.fromfile(sys.argv[1], "<f4").reshape(len(Y), -1)
print(X.shape)


def networks(X, Y, hidden, alpha):
    return [MLPClassifier((hidden,), alpha=alpha, max_iter=40, random_state=seed, learning_rate_init=2e-3).fit(X, Y) for seed in range(5)]


def logits(all, X):
    return np.mean([np.maximum(0, X @ m.coefs_[0] + m.intercepts_[0]) @ m.coefs_[1] + m.intercepts_[1] for m in all], axis=0)


def fit(name, X, hidden, alpha):
    mean, scale = X.mean(0), X.std(0) + 1e-3
    X = (X - mean) / scale
    out = np.zeros(Y.shape)
    for rest, left in KFold(5, shuffle=True, random_state=0).split(X):
        out[left] = logits(networks(X[rest], Y[rest], hidden, alpha), X[left])
    thresholds = np.array([np.sort(out[:, t])[-Y[:, t].sum()] for t in range(len(topics))])
    for t, topic in enumerate(topics):
        found = out[:, t] >= thresholds[t]
        print(f"{name} {topic}: {(found & (Y[:, t] == 1)).sum() / Y[:, t].sum():.3f} of what is there, as precise")
    all = networks(X, Y, hidden, alpha)
    into = np.concatenate([m.coefs_[0].T / scale for m in all])
    bias = np.concatenate([m.intercepts_[0] - (m.coefs_[0].T / scale) @ mean for m in all])
    outof = np.concatenate([m.coefs_[1].T for m in all], axis=1) / len(all)
    last = np.mean([m.intercepts_[1] for m in all], axis=0) - thresholds
    (here / "weights").mkdir(exist_ok=True)
    np.concatenate([a.ravel() for a in (into, bias, outof, last)]).astype("<f4").tofile(here / f"weights/{name}.f32")


fit("words", X[:, :-256], 16, 1.0)
fit("meaning", X, 48, 3.0)
