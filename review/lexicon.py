"""The rules' words in English and German; `review.words.Words` says what each list is for."""

from collections.abc import Mapping

ENGLISH: Mapping[str, tuple[str, ...]] = {
    "acceptance": (
        "acceptance criteria", "acceptance criterion", "acceptance test", "acceptance tests", "acceptance", "ac", "acs",
        "definition of done", "dod", "done when", "success criteria", "pass criteria", "exit criteria",
        "conditions of satisfaction", "expected", "expected result", "expected results", "expected behaviour",
        "expected behavior", "expected outcome", "expected output", "desired result", "desired behaviour",
        "desired behavior", "desired outcome", "what should happen", "what i expected", "what we expect", "outcome",
        "accepted when", "complete when", "completed when", "finished when", "scenarios", "how to verify",
        "how we will test", "how to test", "test cases", "test scenarios", "requirements", "verification",
        "test criteria", "it is done when", "we are done when",
    ),
    "undecided": (
        "tbd", "tbc", "tba", "still discussing", "not fixed yet", "not been defined", "not been decided",
        "not been agreed", "not been clarified", "not been settled", "not settled yet", "whether * is open",
        "whether * is still open", "needs input from", "t.b.d", "t.b.c", "to be decided", "to be determined",
        "to be clarified", "to be finalised", "to be finalized", "to be discussed", "still to be defined",
        "yet to be defined", "(to be defined", ": to be defined", "is to be defined", "are to be defined",
        "to be defined later", "to be defined$", "still to be confirmed", "yet to be confirmed", "(to be confirmed",
        ": to be confirmed", "- to be confirmed", "to be confirmed with", "to be specified later",
        "still to be specified", ": to be specified", "(to be specified", "still to be agreed", "yet to be agreed",
        ": to be agreed", "(to be agreed", "to be agreed with", "not decided", "not yet decided", "hasn't been decided",
        "haven't decided", "be decided later", "subject to a decision", "pending from", "hasn't decided",
        "nobody has decided", "is undecided", "are undecided", "still undecided", "undecided whether", "undecided if",
        "undecided:", "undecided$", "no decision yet", "no decision has been", "there is no decision",
        "decision is pending", "waiting for a decision", "waiting for * decision", "has not confirmed yet",
        "have not confirmed yet", "hasn't confirmed yet", "todo: decide", "todo: clarify", "awaiting a decision",
        "we need to decide", "we have to decide", "we still have to decide", "we must decide", "still need to decide",
        "must be decided", "remains to be seen", "needs a decision", "must be clarified", "still needs to be confirmed",
        "needs clarification", "open question:", "open questions:", "open point:", "open points:", "open question -",
        "open question is", "open question whether", "open questions remain", "is an open question",
        "are open questions", "still an open question", "one open question", "remains an open question",
        "question is still open", "questions are still open", "open questions$", "unclear if", "unclear whether",
        "unclear how", "unclear what", "unclear which", "unclear who", "unclear when", "unclear where", "not clear if",
        "not clear whether", "not clear how", "not clear what", "not clear which", "not clear yet", "not yet clear",
        "isn't clear yet", "not sure yet", "not sure if", "not sure whether", "not sure how", "not sure which",
        "not sure what", "we don't know yet", "we do not know yet", "don't know whether", "do not know whether",
        "don't know if we", "not yet agreed", "not agreed yet", "not yet defined", "not defined yet",
        "not yet specified", "not yet final", "not final yet", "not finalised yet", "not finalized yet",
        "still under discussion", "still being discussed", "up for discussion", "is debatable", "pick one later",
        "unsure if", "unsure whether", "unsure how", "unsure which", "unsure what", "not certain if",
        "not certain whether", "uncertain whether", "uncertain if", "can't say yet", "cannot say yet", "decide later",
        "decide this later", "figure out later",
    ),
    "decided": (
        "no longer", "not any longer", "^update:", "^edit:", "out of scope", "not any more", "not anymore",
        "was decided", "were decided", "has been decided", "is decided", "have been decided", "we decided",
        "we have decided", "we've decided", "they decided", "decided:", "decision:", "decided on", "decided that",
        "decided to", "^decided", "it's decided", "resolved", "has been clarified", "was clarified", "clarified with",
        "clarified:", "clarified in", "all clarified", "settled", "used to be", "is now", "now agreed", "answered",
        "never mind", "nevermind", "got the answer", "found the answer", "^found it", "^found out", "^figured it out",
        "^answering myself", "answer my own question", "answering my own question", "decided with", "decided by",
        "solved", "confirmed with", "confirmed by", "confirmed that", "confirmed:", "has confirmed", "^confirmed",
        "turns out", "checked with", "asked legal", "spoke with", "spoke to", "talked to", "turned out",
        "we will go with", "we'll go with", "let's go with", "going with", "we agreed", "final answer", "legal says",
        "no more open", "forget it", "forget my question", "ignore my question", "disregard",
    ),
    "agreed": (
        "^approved$", "^approved by", "^approved from", "^approved as", "^approved for", "^approved on behalf",
        ", approved", "and approved$", "ok to build", "ok to implement", "ok to proceed", "ok to go",
        "good from my side", "good from our side", "good for me", "good for us", "i approve", "we approve",
        "hereby approve", "i've approved", "i have approved", "is approved$", "text approved", "approved it",
        "scope approved", "wording approved", "approving this", "lgtm", "looks good", "look good", "sounds good",
        "^agreed", "agreed$", ", agreed", "agreed again", "approved again", "still agreed", "is agreed",
        "we agreed on the", "agreed on this", "agreed to this", "we agree", "i agree", "we all agree", "we've agreed",
        "we have agreed", "have agreed$", "has agreed$", "signed off", "sign off on this", "signing off", "signed-off",
        "sign-off given", "sign-off from", "^accepted$", "^accepted by", "accepted as it is", "accepted as is",
        "accepted as written", "good to go", "go ahead", "ship it", "fine by me", "fine with me", "fine with this",
        "fine with the", "ok from", "okay from", "works for me", "works for us", "ok for me", "okay for me",
        "ok for us", "happy with this", "happy with the text", "happy with it", "thumbs up from", "green light",
        "no objections", "no objection",
    ),
    "rejected": (
        "won't do", "wont do", "won't fix", "wontfix", "will not do", "will not fix", "not doing", "rejected", "reject",
        "declined", "denied", "cancelled", "canceled", "abandoned", "withdrawn", "discarded", "dropped", "obsolete",
        "invalid", "not planned", "no longer needed", "not approved", "refused",
    ),
    "empty": (
        "none", "none yet", "nothing yet", "n/a", "na", "not applicable", "nothing", "empty", "pending", "todo",
        "to do", "to be added", "to be added later", "to be written", "to be filled", "to be filled in", "to follow",
        "coming soon", "later", "fill in", "fill me in", "add here", "please fill in", "please add", "placeholder",
        "to be provided", "wip", "to be defined", "to be specified", "to be confirmed", "to be agreed", "will follow",
        "missing", "unknown", "see above", "same as above", "as discussed",
    ),
    "accepted_when": (
        "done when", "^accepted when", "^complete when", "^completed when", "^finished when", "is accepted when",
        "is complete when", "is finished when", "can be closed when",
        "expected result is", "expected behaviour is", "expected behavior is", "expected outcome is", "^i expected",
        "^i expect", "^we expect", "^we expected", "we will know it works when", "instead it should", "should instead",
        "we consider it done", "counts as done",
    ),
    "must": (
        "should", "must", "shall", "has to", "have to", "needs to", "need to", "cannot", "can't", "may not",
        "shouldn't", "will not", "won't", "expected",
    ),
    "scenario": ("given when then",),
    "objected": (
        "not agreed", "not approved", "do not agree", "don't agree", "disagree", "not ok", "not okay", "i withdraw",
        "we withdraw", "withdraw my approval", "taking back my", "take back my", "needs rework", "please rework",
        "needs changes", "back to draft", "approval revoked", "no longer agreed", "no longer approved", "i object",
        "not happy with", "not good to go", "reopening the discussion", "reopen the discussion",
    ),
    "hedges": (
        "not", "never", "no", "isn't", "wasn't", "hasn't", "haven't", "don't", "doesn't", "didn't", "can't", "cannot",
        "won't", "once", "until", "till", "if", "when", "whenever", "before", "unless", "will be", "to be", "needs",
        "need", "must be", "should be", "can be", "could be", "may be", "might be", "as", "pending", "waiting", "wait",
        "awaiting", "without", "please", "after", "provided", "assuming", "almost", "nearly", "who", "would", "i'd",
        "let me know", "get", "ask", "asked", "want", "wants", "only",
    ),
    "reservations": (
        "once", "until", "if", "when", "unless", "provided", "assuming", "as soon as", "as long as", "but", "except",
        "however", "though", "pending", "subject to", "on condition", "apart from", "by then", "next week", "tomorrow",
    ),
    "asks": (
        "can * confirm", "could * confirm", "can * clarify", "could * clarify", "can * tell", "could * tell",
        "can * explain", "could * explain", "can * say whether", "could * say whether", "can * check whether",
        "could * check whether", "can * check if", "could * check if", "please confirm", "please clarify", "do we know",
        "does anyone know", "does anybody know", "does someone know", "let me know whether", "let me know if we",
        "let us know whether", "^wondering whether", "^wondering if", "i wonder whether", "i wonder if",
        "i was wondering", "^question:", "please explain", "please advise", "could you specify", "please specify",
        "need to know",
    ),
    "inverted": (
        "^do we", "^do they", "^do you", "^does it", "^does this", "^does that", "^does the", "^did we", "^did you",
        "^is it", "^is there", "^is this", "^is that", "^are there", "^are these", "^are those", "^are we", "^are they",
        "^will it", "^will this", "^will there", "^will they", "^can we", "^can they", "^can it", "^could we",
        "^should we", "^should it", "^should i", "^shall we", "^must we", "^what about", "^how about", "^what if",
        "^what happens to", "^what happens if", "^what happens with", "^what should", "^why do", "^why does",
        "^why should", "^how do we", "^how should", "^how does", "^which one should", "^who will",
    ),
    "pings": (
        "any update", "any updates", "any news", "any progress", "eta", "what's the status", "what is the status",
        "who can take", "who picks", "please review", "would you mind", "is it ok if i", "can i take", "should i close",
        "shall i", "^why not$", "^right$", "^makes sense$", "^ok$", "^okay$", "^really$", "^seriously$", "^huh$",
        "^what$", "^who knows$", "^you know$", "^isn't it$", "^see$", "^remember$", "^how hard can", "^how are you",
        "^how was", "^shall we start", "^ready$", "^anyone$", "^all good$", "^sounds good$", "^who cares",
        "^who does not like", "^who doesn't like", "^who does not love", "^who doesn't love", "^who wouldn't",
        "^who would not", "^who wants to", "^what's not to like", "^isn't that", "^wouldn't that be", "^wouldn't it be",
        "^what could go wrong", "^what could possibly", "^deal$", "^any objections", "^any comments", "^any thoughts$",
        "^thoughts$", "can we talk", "can we have a call", "do you have time", "do you have a minute", "got a minute",
        "can we meet",
    ),
    "evasions": (
        "good question", "great question", "no idea", "not sure", "i don't know", "i do not know", "don't know either",
        "no clue", "let me check", "will check", "i'll check", "let me ask", "i'll ask", "will ask", "i will find out",
        "i'll find out", "looking into", "will look into", "get back to you", "will get back", "come back to you",
        "same question", "same doubt", "think about it", "like to know", "let's discuss", "interesting point",
        "added label", "same here", "me too", "+1", "following", "bump", "ping", "also interested", "also wondering",
        "wondering the same", "still waiting", "still open", "no answer yet", "anyone", "moved to", "moving to",
        "moving this", "moved this", "assigned to", "assigning", "linked to", "linking", "attached", "attaching",
        "uploaded", "mockup", "mockups", "screenshot", "screenshots", "sprint", "backlog", "story points", "estimate",
        "estimated", "estimation", "rebased", "merged", "deployed to", "pull request", "build is green", "^pr", "^mr",
        "figma", "design is ready", "designs are ready", "started working", "starting on", "working on this",
        "picked this up", "picking this up", "thanks", "thank you", "welcome", "out of office", "on holiday",
        "on vacation", "next refinement", "in refinement", "in planning", "updated the labels", "changed the priority",
        "removed the label", "added the label", "added the labels", "raised the priority", "lowered the priority",
        "reminder", "^nice$", "^cool$", "^wow$", "^love it", "^well done", "^good job", "^nice work", "^great work",
        "^nice one", "^thx", "i'm out until", "i am out until",
        "out till", "ooo", "on leave", "on sick leave",
    ),
    "answers": (
        "^yes", "^no$", "^no,", "^nope", "^yep", "^yeah", "^correct", "^exactly", "^right,", "^right.", "^answer:",
        "^both", "^neither", "^always", "^never$", "^only", "^indeed", "^it should", "^it must", "^they should",
        "^we should", "^we will", "^sure", "^true", "^none", "^all of",
    ),
    "subtasks": ("sub-task", "subtask", "sub task", "technical task", "checklist item"),
    "epics": ("epic", "initiative", "theme", "saga", "programme", "program", "portfolio epic", "capability", "goal"),
    "bugs": ("bug", "defect", "fault", "incident", "problem", "error", "regression", "hotfix"),
    "unfixed": (
        "duplicate", "cannot reproduce", "can't reproduce", "not reproducible", "not a bug", "works as designed",
        "by design", "as designed", "incomplete", "known error", "user error", "not an issue", "expired",
    ),
    "blocked_by": (
        "is blocked by", "blocked by", "depends on", "is dependent on", "depends upon", "dependent on", "requires",
        "has to be done after", "must be done after", "is preceded by", "waits for",
    ),
    "related": (
        "relates to", "is related to", "related to", "parent", "is child of", "child of", "implements", "is part of",
        "part of", "follows", "is follow-up of", "builds on", "is split from", "split from",
    ),
    "superseded": (
        "superseded by", "obsolete because", "obsolete since", "is superseded", "has been superseded", "replaced by",
        "has been replaced", "is obsolete", "^obsolete", "^deprecated", "is deprecated", "no longer valid",
        "no longer applies", "no longer in force", "out of date", "is outdated", "^outdated", "has expired",
        "^archived", "has been archived", "not in force", "^superseded", "^replaced", "historical",
        "kept for reference", "previously", "formerly", "used to be", "in the past", "at the time", "^old version",
        "before the change", "withdrawn",
    ),
    "drafts": (
        "draft", "proposal", "proposed", "meeting", "minutes", "retro", "retrospective", "brainstorm", "brainstorming",
        "ideas", "old", "archive", "archived", "superseded", "deprecated", "obsolete", "outdated", "rfc", "sandbox",
        "playground", "template", "changelog", "release notes", "postmortem", "post-mortem", "weekly", "diary",
        "interview", "survey results", "research notes",
    ),
    "changes": (
        "raise", "raises", "raising", "raised", "lower", "lowers", "lowering", "lowered", "increase", "increases",
        "increasing", "increased", "decrease", "decreasing", "decreased", "reduce", "reduces", "reducing", "reduced",
        "extend", "extends", "extending", "extended", "shorten", "shortens", "shortening", "shortened", "change",
        "changes", "changing", "changed", "cut", "cuts", "double", "halve", "bump", "bumps", "move", "moves", "moved",
        "grow", "grows", "drop", "drops", "adjust", "adjusts", "adjusted", "update", "updates", "relax", "tighten",
        "new limit", "go", "goes", "switch",
    ),
    "observed": (
        "actual", "actual result", "actual results", "actual behaviour", "actual behavior", "actual outcome",
        "current behaviour", "current behavior", "current", "observed", "observed behaviour", "observed behavior",
        "steps to reproduce", "steps", "reproduction", "how to reproduce", "to reproduce", "what happens",
        "what happened", "today", "now", "as is", "background", "history", "environment", "example", "examples", "log",
    ),
    "conditions": (
        "when", "whenever", "if", "while", "after", "before", "during", "with", "without", "once", "unless", "until",
        "as soon as", "in case", "on", "for", "across", "because of", "due to", "having", "containing", "in",
    ),
    "live": (
        "is live", "are live", "now live", "went live", "gone live", "is deployed", "are deployed", "been deployed",
        "was deployed", "were deployed", "deployed to production", "runs in production", "is in production",
        "are in production", "released to production", "rolled out to", "was rolled out", "is rolled out",
        "works in production", "was released", "has been released", "been rolled out",
    ),
    "replaces": ("replaces", "supersedes", "takes the place of", "successor of", "successor to", "replacement for"),
    "existing_data": (
        "existing", "migrate", "migrates", "migrated", "migration", "migrations", "backfill", "backfilled",
        "back-filled", "already stored", "already saved", "stored so far", "legacy", "historical", "old records",
        "old rows", "old entries", "old data", "older", "so far", "converted", "convert", "rollback",
        "roll back", "retroactive", "retroactively", "before the change", "before this change", "current data",
        "no data", "empty table", "from before",
    ),
    "only": ("only",),
    "may": (
        "may", "can", "could", "is allowed to", "are allowed to", "is able to", "are able to", "is permitted to",
        "are permitted to", "should be able to", "must be able to", "has the right to", "have the right to",
    ),
    "may_not": (
        "may not", "must not", "cannot", "can not", "can't", "mustn't", "is not allowed to", "are not allowed to",
        "is never", "are never", "may never", "can never", "must never", "not be able to", "shall not", "never be",
        "can no longer", "may no longer", "are not permitted to", "is not permitted to",
    ),
}  # fmt: skip

GERMAN: Mapping[str, tuple[str, ...]] = {
    "acceptance": (
        "akzeptanzkriterien", "akzeptanzkriterium", "abnahmekriterien", "abnahmekriterium", "abnahme", "ak",
        "abnahmetest", "erfolgskriterien", "fertig wenn", "fertig, wenn", "erledigt, wenn", "erledigt wenn", "erwartet",
        "erwartetes ergebnis", "erwartetes verhalten", "erwartung", "soll-verhalten", "sollverhalten", "soll",
        "soll-zustand", "gewünschtes ergebnis", "gewünschtes verhalten", "ergebnis", "prüfkriterien",
    ),
    "undecided": (
        "noch zu klären", "noch zu entscheiden", "noch zu definieren", "noch festzulegen", "noch abzustimmen",
        "noch zu bestätigen", ": zu klären", "(zu klären", "ist zu klären", "zu klären:", "nicht entschieden",
        "noch nicht festgelegt", "noch nicht geklärt", "noch nicht abgestimmt", "noch nicht endgültig", "noch unklar",
        "muss noch entschieden", "muss noch geklärt", "muss noch * geklärt", "muss noch * entschieden",
        "muss noch festgelegt", "muss noch abgestimmt", "müssen noch entschieden", "müssen noch geklärt",
        "müssen wir noch", "wird noch entschieden", "wird noch geklärt", "wird noch festgelegt", "wird noch abgestimmt",
        "wird noch nachgereicht", "offene frage:", "offene fragen:", "offener punkt:", "offene punkte:",
        "ist eine offene frage", "ungeklärt", "unklar, ob", "unklar, wie", "unklar, welche", "unklar, wer",
        "unklar, was", "unklar, wann", "unklar ob", "noch offen, ob", "noch offen, wie", "noch offen, welche",
        "ob offen:", "frage ist noch offen", "steht noch nicht fest", "stehen noch nicht fest",
        "entscheidung steht aus", "entscheidung steht noch aus", "entscheidung ausstehend", "wissen wir noch nicht",
        "ist noch in diskussion", "später entscheiden", "noch offen$",
    ),
    "decided": (
        "nicht mehr", "wurde entschieden", "wurden entschieden", "ist entschieden", "entschieden:", "entscheidung:",
        "wir haben entschieden", "haben uns entschieden", "^entschieden", "geklärt:", "ist geklärt", "wurde geklärt",
        "geklärt mit", "erledigt", "beantwortet", "wurde festgelegt", "ist festgelegt", "bestätigt von",
        "hat bestätigt", "^bestätigt", "wir nehmen", "wir einigten uns", "haben uns geeinigt",
    ),
    "agreed": (
        "^freigegeben", "freigegeben$", "ist freigegeben", "ich gebe frei", "freigabe erteilt", "^abgenommen",
        "abgenommen$", "ist abgenommen", "einverstanden", "^genehmigt", "genehmigt$", "passt so", "passt für mich",
        "passt für uns", "^passt", "in ordnung so", "für mich in ordnung", "für uns in ordnung", "ist abgestimmt",
        "abgestimmt mit", "stimme zu", "stimmen zu", "so umsetzen", "kann so umgesetzt werden", "sieht gut aus",
        "grünes licht", "von mir aus gerne", "keine einwände",
    ),
    "rejected": (
        "abgelehnt", "verworfen", "wird nicht erledigt", "wird nicht umgesetzt", "wird nicht behoben", "nicht geplant",
        "abgebrochen", "storniert", "zurückgezogen", "hinfällig", "ungültig", "obsolet", "eingestellt",
    ),
    "empty": (
        "keine", "keines", "entfällt", "folgt", "folgen", "folgt noch", "wird ergänzt", "wird nachgereicht", "offen",
        "noch offen", "noch zu ergänzen", "noch zu definieren", "noch festzulegen", "noch zu klären", "ausstehend",
        "bitte ergänzen", "bitte ausfüllen", "siehe oben", "wie besprochen", "leer", "nicht zutreffend",
    ),
    "accepted_when": (
        "ist fertig, wenn", "ist fertig wenn", "gilt als erledigt", "ist erledigt, wenn", "erwartet wird",
        "erwartetes ergebnis ist", "^ich erwarte", "^wir erwarten", "stattdessen sollte", "stattdessen soll",
    ),
    "must": (
        "soll", "sollte", "sollen", "sollten", "muss", "müssen", "müsste", "darf nicht", "dürfen nicht", "erwartet",
    ),
    "scenario": ("angenommen wenn dann", "gegeben wenn dann"),
    "objected": (
        "nicht einverstanden", "nicht freigegeben", "nicht abgenommen", "nicht genehmigt", "freigabe zurückgezogen",
        "ziehe meine freigabe", "stimme nicht zu", "passt so nicht", "passt nicht", "bitte überarbeiten",
        "zurück in den entwurf", "widerspreche",
    ),
    "hedges": (
        "nicht", "nie", "kein", "keine", "sobald", "wenn", "falls", "bis", "bevor", "erst", "wird", "werden", "muss",
        "müssen", "soll", "sollte", "kann", "noch", "bitte", "nachdem", "ohne", "wie", "fast", "warten", "warte", "wer",
        "würde", "vorausgesetzt", "sofern", "solange", "nur",
    ),
    "reservations": (
        "sobald", "wenn", "falls", "bis", "aber", "außer", "allerdings", "jedoch", "vorausgesetzt", "sofern", "solange",
        "unter der bedingung", "später", "morgen",
    ),
    "asks": (
        "könnt ihr bestätigen", "kannst du bestätigen", "können sie bestätigen", "könntest du klären", "bitte klären",
        "bitte bestätigen", "bitte um klärung", "weiß jemand", "wissen wir", "kann jemand bestätigen",
        "kann jemand sagen", "sagt bescheid, ob", "gib bescheid, ob", "ich frage mich", "^frage:", "mir ist unklar",
    ),
    "inverted": (
        "^gilt das", "^gibt es", "^ist das", "^ist es", "^sind das", "^sollen wir", "^sollten wir", "^müssen wir",
        "^können wir", "^dürfen wir", "^was passiert", "^was ist mit", "^wie soll", "^wer soll", "^brauchen wir",
    ),
    "pings": (
        "gibt es neuigkeiten", "gibt es schon", "wie ist der stand", "was ist der stand", "wer übernimmt",
        "kann jemand übernehmen", "kannst du reviewen", "kannst du dir das ansehen", "kannst du testen",
        "^warum nicht$", "^oder$", "^nicht wahr$", "^ok$", "^gell$", "^wirklich$", "^was soll schon", "^passt$",
        "^einwände", "hast du kurz zeit", "können wir sprechen",
    ),
    "evasions": (
        "gute frage", "keine ahnung", "weiß ich nicht", "bin nicht sicher", "muss ich prüfen", "muss ich * fragen",
        "muss erst", "muss ich nachfragen", "frage nach", "kläre ich", "ich kläre", "schaue ich mir an", "melde mich",
        "gleiche frage", "dieselbe frage", "geht mir auch so", "ich auch", "verschoben in", "verschoben auf",
        "zugewiesen an", "verknüpft", "angehängt", "hochgeladen", "danke", "geschätzt", "schätzung", "fange an",
        "bin dran", "im urlaub", "erinnerung",
    ),
    "answers": (
        "^ja", "^nein", "^genau", "^richtig", "^antwort:", "^beide", "^immer", "^nur", "^stimmt", "^korrekt", "^doch",
        "^es soll", "^wir sollten", "^alle",
    ),
    "subtasks": ("unteraufgabe", "teilaufgabe"),
    "epics": ("epos", "initiative", "thema"),
    "bugs": ("fehler", "störung", "defekt", "mangel", "problem"),
    "unfixed": ("duplikat", "nicht reproduzierbar", "kein fehler", "wie vorgesehen", "unvollständig"),
    "blocked_by": (
        "wird blockiert von", "wird blockiert durch", "blockiert von", "hängt ab von", "ist abhängig von", "benötigt",
        "setzt voraus", "erfordert",
    ),
    "related": (
        "hängt zusammen mit", "bezieht sich auf", "übergeordnet", "übergeordneter vorgang", "verwandt mit",
        "ist teil von", "setzt um", "folgt auf",
    ),
    "superseded": (
        "ersetzt durch", "abgelöst durch", "wurde ersetzt", "wurde abgelöst", "ist veraltet", "^veraltet",
        "nicht mehr gültig", "gilt nicht mehr", "außer kraft", "^archiviert", "wurde archiviert", "überholt", "früher",
        "bisher", "ehemals", "damals",
    ),
    "drafts": (
        "entwurf", "vorschlag", "besprechung", "protokoll", "sitzung", "ideen", "alt", "archiv", "veraltet",
        "rückschau", "retrospektive", "vorlage", "notizen",
    ),
    "changes": (
        "erhöhen", "erhöht", "erhöhung", "senken", "gesenkt", "senkung", "anheben", "angehoben", "verlängern",
        "verlängert", "verlängerung", "verkürzen", "verkürzt", "verkürzung", "ändern", "geändert", "änderung",
        "reduzieren", "reduziert", "herabsetzen", "heraufsetzen", "verdoppeln", "halbieren", "anpassen", "angepasst",
    ),
    "observed": (
        "ist", "ist-verhalten", "ist-zustand", "tatsächlich", "tatsächliches ergebnis", "tatsächliches verhalten",
        "aktuelles verhalten", "aktuell", "beobachtet", "schritte", "schritte zum nachstellen", "reproduktion",
        "hintergrund", "beispiel", "beispiele", "heute", "umgebung",
    ),
    "conditions": (
        "wenn", "falls", "sobald", "während", "nachdem", "nach", "bevor", "bei", "beim", "mit", "ohne", "solange",
        "wegen", "im fall", "für", "in", "im",
    ),
    "live": (
        "ist live", "sind live", "ging live", "ist ausgerollt", "wurde ausgerollt", "ist produktiv",
        "ist in produktion", "wurde ausgeliefert", "ist ausgeliefert", "läuft in produktion", "ist deployt",
        "wurde deployt",
    ),
    "replaces": ("ersetzt", "löst * ab", "nachfolger von", "tritt an die stelle"),
    "existing_data": (
        "bestehende", "bestehenden", "bestehender", "vorhandene", "vorhandenen", "migration", "migrieren", "migriert",
        "altdaten", "bestandsdaten", "bisherige", "bisherigen", "bereits gespeichert", "nachträglich", "rückwirkend",
        "umgestellt", "alte daten", "altbestand",
    ),
    "only": ("nur", "ausschließlich", "allein"),
    "may": ("darf", "dürfen", "kann", "können", "ist berechtigt", "sind berechtigt"),
    "may_not": (
        "darf nicht", "dürfen nicht", "kann nicht", "können nicht", "darf nie", "dürfen nie", "darf nicht mehr",
        "dürfen nicht mehr", "darf kein", "darf keine", "dürfen keine",
    ),
}  # fmt: skip

_DEEDS = (
    "add assign attach close deploy estimate fix groom help invite link look merge move pick post rebase reopen review"
    " schedule share split take test update upload"
)
REQUESTS = tuple(
    f"{can} {who} {deed}"
    for can in ("can", "could", "would")
    for who in ("you", "you please", "you pls", "someone", "somebody", "anyone")
    for deed in (*_DEEDS.split(), "have a look", "have another look")
)
"""English for asking for a deed, not for an answer: `can you deploy`."""

IRREGULAR = """
began begun begin, broke broken break, brought bring, built build, bought buy, caught catch, chose chosen choose, drew
drawn draw, drove driven drive, fell fallen fall, flew flown fly, forgot forgotten forget, froze frozen freeze, grew
grown grow, held hold, hid hidden hide, kept keep, knew known know, lent lend, lost lose, paid pay, repaid repay, ran
run, rode ridden ride, sold sell, sank sunk sink, spoke spoken speak, spent spend, stole stolen steal, stood stand,
struck strike, stuck stick, taught teach, threw thrown throw, sent send, shown show, people person, children child,
tore torn tear, won win, wore worn wear, wrote written write
"""
"""English forms that a stemmer leaves apart, each group with its base last."""
