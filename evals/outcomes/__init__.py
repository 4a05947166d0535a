"""How many findings people accepted: what they did after a review was told, read back from the installation itself.

A finding is what the reviews of one ticket or page told under one fingerprint; told again by a later review it is the
same one. It has one outcome, the first of these that holds:

too young        told for the first time less than seven days ago. It is counted in no share.
unknown          its ticket or page, or a part of it (comments, history, versions), is gone or cannot be read now. It
                 is counted, and said, and is in no other share.
dismissed        set aside by `#qa-check dismiss N: reason`, and the comment that did so still stands.
accepted by reply  a person's comment after the review answers it in a way that the product itself takes for an answer
                 (`review.settled`): by its number, by quoting it, by stating what it asks for, by deciding it.
accepted by edit   a person edited the text after the last review that told it (summary, description, acceptance
                 criteria; title or text of a page; the subject itself, or a ticket or page that the finding cites), and
                 - the next review that looked everywhere, told to readers who may read at least as much, does not
                   tell it any more, nor the same rule's point on the same documents in other words; or, if there is
                   no such review,
                 - a review by the rules alone on the present text does not (`--rerun`, for findings of rules); or,
                   where that was not asked for or does not judge it, what it quotes of the subject is not there any
                   more; of a conflict one side is enough, whether in the subject or in what it cites.
no sign          none of these.

A 👍 or 👎 is for a whole reply, so it is told beside the findings and weighs none of them.

What this does not say. It shows that something was done after a finding, not because of it: a text that would have been
mended anyway counts as accepted. An answer counts as accepted even if it says that the finding is wrong. A point that
was settled in a call, in Slack, in code or in a resolved thread of a page leaves no sign. What a model told is not
missed by a later review that no model judged, so there the quoted passage decides. An edit by a program counts as a
person's if that program has never written a comment there. Only the latest fifty reviews of a subject are looked at,
only what retention has not deleted, and only reviews in comments: the findings of a review in Slack are not remembered
as such, and there alone are replies rated.
"""
