"""The five documents behind the library: their equation numbers, the functions that compute them, and the errata."""

from sixvec.textbook.citation import DOCUMENTS, Citation, citations
from sixvec.textbook.inventory import Equation, equations, errata, formulas, sections
from sixvec.textbook.where import Place, Places, where

__all__ = [
    "DOCUMENTS", "Citation", "Equation", "Place", "Places", "citations", "equations", "errata", "formulas",
    "sections", "where",
]  # fmt: skip
