"""An accuracy run as measurements, one a repository and candidate, with what the report draws.

Every measurement has part `accuracy`, set = the repository's name, way = the candidate's label, and these figures. An
interval is `{"value", "low", "high", "n"}` (95 %), or None where nothing is known; scores are 0 to 1.

`wins`    each ticket's score in both arms, the largest gain first:
          {"tickets": [{"ticket": id, "title", "baseline": score, "crosscheck": score}]}
`judges`  whether the judges agree, and whether the gain holds for each of them:
          {"alpha": interval of Krippendorff's alpha, "pairs": [{"judges": [label, label], "same": interval of a share}],
           "gains": [{"judge": label, "gain": interval}], "shown_first": interval of a score's difference}
`arms`    what each arm reached and took, per ticket, and what the gain costs:
          {"arms": [{"arm": "baseline" | "crosscheck", "score": interval, "tokens_out": interval, "requests": interval,
                     "seconds": interval, "dollars": interval}],
           "gain": interval, "price": [{"of": "output tokens" | "US dollars", "extra": interval per ticket,
                                        "per_point": interval for 0.01 of score}],
           "price_said": sentence}
"""
