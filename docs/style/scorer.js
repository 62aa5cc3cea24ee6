// The order of search results: first the page named like the words in the box, then what Sphinx finds best.
const asked = () => (new URLSearchParams(window.location.search).get("q") || "")
  .toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean).join("_");

const named = (docname) => docname.toLowerCase().split("/").pop().replace(/^\d+_/, "");

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const words = asked();
    if (docname === "reference/robot") return score + 10;
    if (!words || docname.startsWith("reference/")) return score;
    const name = named(docname);
    if (name === words) return score + (anchor ? 50 : 100);
    return score + (name.includes(words) || words.includes(name) ? 5 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
