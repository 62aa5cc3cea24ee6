"""Okabe and Ito's colours, which are distinguishable for colour-blind readers."""

X_AXIS, Y_AXIS, Z_AXIS = "#D55E00", "#009E73", "#0072B2"
ANGULAR, LINEAR = "#AA4499", "#E69F00"
"""The two halves of a six-vector; the purple is Tol's, darker than theirs."""

INK, GREY, PALE = "#222222", "#777777", "#E4E4E4"
SURFACE = "#56B4E9"
