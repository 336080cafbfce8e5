"""Which tools of a profile answer a query, best first.

Reading order: `lexicon` (short forms and synonyms), `words` (text -> terms), `fields` (a tool -> terms of its parts),
`typos` (words nobody wrote -> words somebody did), `query` (a query -> groups of terms), `exact` (names as typed),
`ranking` (rank-bm25 with fields and postings), `scorer` (what adds up to a score), `meaning` (texts -> vectors, and how
both scores mix), `index` (all of it, for the rest of the program).
"""
