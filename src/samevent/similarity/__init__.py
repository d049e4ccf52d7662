"""How alike two event mentions are: pair features, the learned model, and the links worth considering.

table = compile_mentions(annotated, lexicon=..., vectors=...)    mentions
model = train(labelled(annotated, ...)).model                    training, labelled
found = affinities(table, model)                                 affinities, budget
explain(table, model, 17, 4)                                     explanation
"""
