"""Words by which a sentence tells of a state, of something that goes wrong, or of people, in English and German.

All are phrases as `review.text.Phrases` takes them.
"""

STATES = (
    "locked", "unlocked", "suspended", "active", "inactive", "deactivated", "activated", "disabled", "enabled",
    "pending", "open", "closed", "draft", "submitted", "approved", "published", "archived", "deleted", "restored",
    "paid", "unpaid", "booked", "reserved", "on hold", "shipped", "delivered", "returned", "refunded", "confirmed",
    "unconfirmed", "verified", "unverified", "signed in", "signed out", "logged in", "logged out", "in progress",
    "done", "resolved", "sold out", "boarded", "checked in", "released", "paused", "resumed", "read-only",
    "gesperrt", "entsperrt", "aktiv", "inaktiv", "deaktiviert", "aktiviert", "ausstehend", "entwurf", "eingereicht",
    "freigegeben", "veröffentlicht", "archiviert", "gelöscht", "wiederhergestellt", "bezahlt", "unbezahlt", "gebucht",
    "reserviert", "versandt", "geliefert", "zurückgegeben", "erstattet", "bestätigt", "unbestätigt", "angemeldet",
    "abgemeldet", "in arbeit", "erledigt", "ausverkauft", "geschlossen", "pausiert",
)  # fmt: skip
"""What something can be for a while."""

TROUBLES = (
    "error", "errors", "fails", "fail", "failed", "failure", "refused", "rejected", "declined", "invalid", "wrong",
    "broken", "expired", "expires", "run out", "ran out", "runs out", "timed out", "timeout", "times out", "too late",
    "cancelled", "canceled", "cancels", "cancel", "cancellation", "missed", "missing", "empty", "offline",
    "no network", "no connection", "without a network", "without network", "flight mode", "unavailable",
    "not reachable", "lost", "interrupted", "incomplete", "too large", "too long", "too many", "not found",
    "unknown", "fehler", "fehlgeschlagen", "schlägt fehl", "abgelehnt", "ungültig", "falsch", "abgelaufen", "läuft ab",
    "zeitüberschreitung", "zu spät", "storniert", "stornierung", "abgebrochen", "verpasst", "fehlt", "fehlend", "leer",
    "ohne netz", "kein netz", "nicht erreichbar", "verloren", "unterbrochen", "zu groß", "zu lang", "zu viele",
    "nicht gefunden", "unbekannt",
)  # fmt: skip
"""What goes wrong."""

TWICE = (
    "twice", "duplicate", "duplicates", "second time", "more than once",
    "at the same time", "simultaneously", "concurrent", "concurrently", "in parallel", "meanwhile", "exactly once",
    "only once", "two browsers", "second browser", "second window", "race",
    "doppelt", "zweimal", "gleichzeitig", "parallel", "währenddessen", "genau einmal",
    "nur einmal", "mehrfach",
)  # fmt: skip
"""What happens more than once, or beside something else."""

PEOPLE = (
    "user", "users", "customer", "customers", "client", "clients", "guest", "guests", "visitor", "visitors", "member",
    "members", "passenger", "passengers", "driver", "drivers", "traveller", "travellers", "buyer", "buyers", "seller",
    "sellers", "owner", "owners", "admin", "admins", "administrator", "administrators", "manager", "managers", "lead",
    "leads", "supervisor", "supervisors", "agent", "agents", "operator", "operators", "clerk", "clerks", "staff",
    "employee", "employees", "team", "crew", "crews", "master", "masters", "support", "care", "editor", "editors",
    "author", "authors", "reviewer", "reviewers", "approver", "approvers", "auditor", "auditors", "trainee", "trainees",
    "student", "students", "pupil", "pupils", "teacher", "teachers", "doctor", "doctors", "nurse", "nurses", "patient",
    "patients", "developer", "developers", "tester", "testers", "role", "roles", "group", "people", "person", "persons",
    "nobody", "anybody", "everybody", "anyone", "everyone", "no one", "they", "we", "you", "accountant", "accountants",
    "partner", "partners", "supplier", "suppliers", "child", "children", "parent", "parents", "colleague", "colleagues",
    "nutzer", "benutzer", "kunde", "kunden", "kundin", "gast", "gäste", "besucher", "mitglied", "mitglieder",
    "fahrgast", "fahrgäste", "fahrer", "käufer", "verkäufer", "inhaber", "administratoren", "leiter", "leitung",
    "leitungen",
    "mitarbeiter", "mitarbeitende", "personal", "rolle", "rollen", "gruppe", "person", "personen", "niemand", "jeder",
    "alle", "schichtleiter", "schichtleitung", "prüfer", "auszubildende", "schüler", "lehrer", "arzt", "ärzte",
)  # fmt: skip
"""Who may do something."""

STEPS = (
    "steps", "steps to reproduce", "reproduction", "reproduction steps", "how to reproduce", "to reproduce", "repro",
    "steps to recreate", "schritte", "schritte zum nachstellen", "schritte zur reproduktion", "reproduktion",
    "nachstellen",
)  # fmt: skip
"""Labels below which a bug says how it is brought about."""

BEFORE = (
    "environment", "precondition", "preconditions", "pre-condition", "pre-conditions", "prerequisite", "prerequisites",
    "setup", "given", "umgebung", "voraussetzung", "voraussetzungen", "vorbedingung", "vorbedingungen",
)  # fmt: skip
"""Labels below which it says what must be so before."""

CLAUSES = (
    "when", "whenever", "if", "while", "after", "once", "unless", "as soon as", "as long as", "in case",
    "wenn", "falls", "sobald", "während", "nachdem", "solange", "sofern",
)  # fmt: skip
"""Words that open the clause of a condition."""

FIXES = (
    "fixed", "is now", "are now", "now", "no longer", "not any more", "not anymore", "repaired", "corrected", "cleared",
    "behoben", "jetzt", "nicht mehr", "korrigiert",
)  # fmt: skip
"""What people write when they say what a fix does."""

STORIES = ("^as a * want", "^as an * want", "^as the * want", "i want to", "^als * möchte", "möchte ich")
"""How a user story opens, which says for whom something is and not what has to hold."""

WISHES = ("would like", "i want", "we want", "i need", "we need", "möchte", "möchten", "brauche", "brauchen")
"""How somebody asks for something for themselves: its numbers are theirs, and bound nothing."""

TALK = (
    "i", "i'm", "i'll", "i've", "i'd", "me", "^we can", "^we could", "^we may", "^you can", "^you could", "^can",
    "^could", "let's", "let me", "thanks", "thank you", "please", "we should ask", "we need to ask", "we have to ask",
    "we must ask", "we should talk", "we need to talk", "we should check", "we need to check", "we should discuss",
    "we need to discuss", "we should meet", "took", "ago", "yesterday", "tomorrow", "this week", "next week",
    "this morning", "this sprint", "next sprint", "ich", "mir", "mich", "^wir können", "^wir könnten", "danke", "bitte",
    "wir müssen fragen", "wir sollten fragen", "gestern", "morgen", "diese woche", "nächste woche",
)  # fmt: skip
"""By what a sentence of a thread speaks of those who write, and not of the matter."""

ASKED_FOR = (
    "boundary boundaries border limit limits edge value values case cases test tests testing scenario role roles state"
    " states exception exceptions check checks verify try include cover new grenze grenzen grenzwert grenzwerte fall"
    " fälle testfall testfälle rolle rollen zustand zustände ausnahme ausnahmen prüfung wert werte"
)
"""Words by which somebody asks for a case, and which say nothing of what it is about."""
