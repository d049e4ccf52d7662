"""Similarity of event mentions: pair features, the trained pair model, and candidate links.

table = compile_mentions(annotated, lexicon=..., vectors=...)       mentions
model = train(label_mentions(annotated, ...)).model                 training, pairs
links = find_links(table, model)                                    links, candidates
explain(table, model, 17, 4)                                        explanation
"""
