-- The state of the release before 0009, as the program of that release wrote it: a job in every state. Jobs 1 to 8 are
-- answered with all that hangs on it, failed, done with a held reply, done with a reply being posted, private with a
-- reply that was begun, done with a queued reply, running under a lease, and queued. SITE, COMMENT_n and ISSUE_n are put
-- in by the test. Made by calling that release's `state` package step by step, then `sqlite3 .dump`; never edited.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0008');
CREATE TABLE cursor (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	CONSTRAINT pk_cursor PRIMARY KEY (name)
);
INSERT INTO "cursor" VALUES('floor','2026-11-19T09:00:00+00:00');
INSERT INTO "cursor" VALUES('index:wordllama-0123:source:jira','2026-11-20T08:00:00+00:00');
CREATE TABLE deployed (
	id INTEGER NOT NULL, 
	probe VARCHAR NOT NULL, 
	version TEXT NOT NULL, 
	"commit" VARCHAR NOT NULL, 
	first DATETIME NOT NULL, 
	last DATETIME NOT NULL, 
	CONSTRAINT pk_deployed PRIMARY KEY (id)
);
CREATE TABLE dismissal (
	subject VARCHAR NOT NULL, 
	comment_id VARCHAR NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	reason TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_dismissal PRIMARY KEY (subject, comment_id, fingerprint)
);
INSERT INTO "dismissal" VALUES('jira|SITE|1','COMMENT_1','f1','as agreed','Ana Sol','2026-11-20 09:01:00.000000');
CREATE TABLE document (
	generation VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	title TEXT NOT NULL, 
	url TEXT NOT NULL, 
	labels JSON NOT NULL, 
	chunks INTEGER NOT NULL, 
	updated DATETIME NOT NULL, 
	indexed_at DATETIME NOT NULL, 
	unread JSON DEFAULT '[]' NOT NULL, 
	masked INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_document PRIMARY KEY (generation, id)
);
CREATE TABLE draft (
	job_id INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	subject VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	record JSON NOT NULL, 
	made_for JSON NOT NULL, 
	rests_on JSON NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_draft PRIMARY KEY (job_id), 
	CONSTRAINT fk_draft_job_id FOREIGN KEY(job_id) REFERENCES job (id), 
	CONSTRAINT uq_draft_subject_version UNIQUE (subject, version)
);
INSERT INTO "draft" VALUES(1,1,'SITE|jira:RUN-1|x',1,'{"cases":[]}','["jira:RUN"]','["jira:RUN-1"]','2026-11-20 09:01:00.000000');
CREATE TABLE feedback (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	verdict VARCHAR NOT NULL, 
	reason TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_feedback PRIMARY KEY (id), 
	CONSTRAINT fk_feedback_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);
INSERT INTO "feedback" VALUES(1,1,'U1','up','short','2026-11-20 09:01:00.000000');
CREATE TABLE generation (
	name VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	searched BOOLEAN NOT NULL, 
	complete BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_generation PRIMARY KEY (name)
);
INSERT INTO "generation" VALUES('wordllama-0123','{"documents":{"kind":"wordllama"},"code":{"kind":"wordllama"}}',1,1,'2026-11-20 09:08:00.000000');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	due DATETIME, 
	attempts INTEGER NOT NULL, 
	closings INTEGER NOT NULL, 
	token VARCHAR, 
	worker TEXT, 
	error TEXT, 
	created_at DATETIME NOT NULL, 
	"key" VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	subject TEXT NOT NULL, 
	payload JSON NOT NULL, 
	result JSON, 
	retries INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	finished_at DATETIME, asked_by VARCHAR DEFAULT '' NOT NULL, passed_over BOOLEAN DEFAULT 0 NOT NULL, noticed_again BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_job PRIMARY KEY (id), 
	CONSTRAINT uq_job_key UNIQUE ("key"), 
	CONSTRAINT fk_job_key FOREIGN KEY("key") REFERENCES seen ("key")
);
INSERT INTO "job" VALUES(1,'done',NULL,1,0,NULL,NULL,NULL,'2026-11-20 09:01:00.000000','jira|SITE|COMMENT_1|comment','comment','RUN-1','{"surface":"jira","place_id":"ISSUE_1","message_id":"COMMENT_1"}','{"reply":"Answer","searches":[],"audit":[]}',0,1,'2026-11-20 09:01:00.000000','',0,0);
INSERT INTO "job" VALUES(2,'failed',NULL,1,0,NULL,NULL,'It could not be read.','2026-11-20 09:02:00.000000','jira|SITE|COMMENT_2|comment','comment','RUN-2','{"surface":"jira","place_id":"ISSUE_2","message_id":"COMMENT_2"}',NULL,0,1,'2026-11-20 09:02:00.000000','',0,0);
INSERT INTO "job" VALUES(3,'done',NULL,1,0,NULL,NULL,NULL,'2026-11-20 09:03:00.000000','jira|SITE|COMMENT_3|comment','comment','RUN-3','{"surface":"jira","place_id":"ISSUE_3","message_id":"COMMENT_3"}','{"reply":"Answer","searches":[],"audit":[]}',0,1,'2026-11-20 09:03:00.000000','',0,0);
INSERT INTO "job" VALUES(4,'done',NULL,1,0,NULL,NULL,NULL,'2026-11-20 09:04:00.000000','jira|SITE|COMMENT_4|comment','comment','RUN-4','{"surface":"jira","place_id":"ISSUE_4","message_id":"COMMENT_4"}','{"reply":"Answer","searches":[],"audit":[]}',0,1,'2026-11-20 09:04:00.000000','',0,0);
INSERT INTO "job" VALUES(5,'done',NULL,1,0,NULL,NULL,NULL,'2026-11-20 09:05:00.000000','slack|T1|private|5|question','private','how many?','{"surface":"slack_private","place_id":"C1","user":"U1","text":"how many?","response_url":"https://hooks.slack.com/x","asked_at":"2026-11-20T09:05:00+00:00"}','{"reply":"Answer","searches":[],"audit":[]}',0,1,'2026-11-20 09:05:00.000000','U1',0,0);
INSERT INTO "job" VALUES(6,'done',NULL,1,0,NULL,NULL,NULL,'2026-11-20 09:06:00.000000','jira|SITE|COMMENT_6|comment','comment','RUN-6','{"surface":"jira","place_id":"ISSUE_6","message_id":"COMMENT_6"}','{"reply":"Answer","searches":[],"audit":[]}',0,1,'2026-11-20 09:06:00.000000','',0,0);
INSERT INTO "job" VALUES(7,'running','2026-11-20 09:09:00.000000',1,0,'f1781fd791bbcd55b3d3b2ee7d43f0f8','worker',NULL,'2026-11-20 09:07:00.000000','jira|SITE|COMMENT_7|comment','comment','RUN-7','{"surface":"jira","place_id":"ISSUE_7","message_id":"COMMENT_7"}',NULL,0,1,NULL,'',0,0);
INSERT INTO "job" VALUES(8,'queued','2026-11-20 09:08:00.000000',0,0,NULL,NULL,NULL,'2026-11-20 09:08:00.000000','jira|SITE|COMMENT_8|comment','comment','RUN-8','{"surface":"jira","place_id":"ISSUE_8","message_id":"COMMENT_8"}',NULL,0,1,NULL,'',0,0);
CREATE TABLE job_event (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	what VARCHAR NOT NULL, 
	detail TEXT NOT NULL, 
	CONSTRAINT pk_job_event PRIMARY KEY (id), 
	CONSTRAINT fk_job_event_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);
INSERT INTO "job_event" VALUES(1,1,'2026-11-20 09:01:00.000000','accepted','by poll');
INSERT INTO "job_event" VALUES(2,1,'2026-11-20 09:01:00.000000','claimed','attempt 1, by worker');
INSERT INTO "job_event" VALUES(3,1,'2026-11-20 09:01:00.000000','done','');
INSERT INTO "job_event" VALUES(4,1,'2026-11-20 09:01:00.000000','posting','attempt 1, by worker');
INSERT INTO "job_event" VALUES(5,1,'2026-11-20 09:01:00.000000','posted','SITE/browse/RUN-1?focusedCommentId=10');
INSERT INTO "job_event" VALUES(6,2,'2026-11-20 09:02:00.000000','accepted','by poll');
INSERT INTO "job_event" VALUES(7,2,'2026-11-20 09:02:00.000000','claimed','attempt 1, by worker');
INSERT INTO "job_event" VALUES(8,2,'2026-11-20 09:02:00.000000','failed','It could not be read. (nobody was told)');
INSERT INTO "job_event" VALUES(9,3,'2026-11-20 09:03:00.000000','accepted','by poll');
INSERT INTO "job_event" VALUES(10,3,'2026-11-20 09:03:00.000000','claimed','attempt 1, by worker');
INSERT INTO "job_event" VALUES(11,3,'2026-11-20 09:03:00.000000','done','');
INSERT INTO "job_event" VALUES(12,4,'2026-11-20 09:04:00.000000','accepted','by poll');
INSERT INTO "job_event" VALUES(13,4,'2026-11-20 09:04:00.000000','claimed','attempt 1, by worker');
INSERT INTO "job_event" VALUES(14,4,'2026-11-20 09:04:00.000000','done','');
INSERT INTO "job_event" VALUES(15,5,'2026-11-20 09:05:00.000000','accepted','by command');
INSERT INTO "job_event" VALUES(16,5,'2026-11-20 09:05:00.000000','claimed','attempt 1, by worker');
INSERT INTO "job_event" VALUES(17,5,'2026-11-20 09:05:00.000000','done','');
INSERT INTO "job_event" VALUES(18,6,'2026-11-20 09:06:00.000000','accepted','by poll');
INSERT INTO "job_event" VALUES(19,6,'2026-11-20 09:06:00.000000','claimed','attempt 1, by worker');
INSERT INTO "job_event" VALUES(20,6,'2026-11-20 09:06:00.000000','done','');
INSERT INTO "job_event" VALUES(21,4,'2026-11-20 09:06:00.000000','posting','attempt 1, by worker');
INSERT INTO "job_event" VALUES(22,5,'2026-11-20 09:06:00.000000','posting','attempt 1, by worker');
INSERT INTO "job_event" VALUES(23,5,'2026-11-20 09:06:00.000000','sending','at most once, since it cannot be looked up');
INSERT INTO "job_event" VALUES(24,7,'2026-11-20 09:07:00.000000','accepted','by poll');
INSERT INTO "job_event" VALUES(25,8,'2026-11-20 09:08:00.000000','accepted','by poll');
INSERT INTO "job_event" VALUES(26,7,'2026-11-20 09:08:00.000000','claimed','attempt 1, by worker');
CREATE TABLE outbox (
	id INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	due DATETIME, 
	attempts INTEGER NOT NULL, 
	closings INTEGER NOT NULL, 
	token VARCHAR, 
	worker TEXT, 
	error TEXT, 
	created_at DATETIME NOT NULL, 
	job_id INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	delivery_key VARCHAR NOT NULL, 
	part INTEGER NOT NULL, 
	parts INTEGER NOT NULL, 
	payload JSON NOT NULL, 
	remote_id VARCHAR, 
	url TEXT, 
	adopted BOOLEAN NOT NULL, 
	settled_at DATETIME, begun BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_outbox PRIMARY KEY (id), 
	CONSTRAINT uq_outbox_job_id_round_part UNIQUE (job_id, round, part), 
	CONSTRAINT ck_outbox_part CHECK (part BETWEEN 1 AND parts), 
	CONSTRAINT fk_outbox_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);
INSERT INTO "outbox" VALUES(1,'sent',NULL,1,0,NULL,NULL,NULL,'2026-11-20 09:01:00.000000',1,1,'jira|SITE|COMMENT_1|comment|answer|1',1,1,'{"surface":"jira","place_id":"ISSUE_1","message_id":"COMMENT_1","rests_on":[],"made_for":[],"body":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Answer"}]}]}}','10','SITE/browse/RUN-1?focusedCommentId=10',0,'2026-11-20 09:01:00.000000',0);
INSERT INTO "outbox" VALUES(2,'held',NULL,0,0,NULL,NULL,NULL,'2026-11-20 09:03:00.000000',3,1,'jira|SITE|COMMENT_3|comment|answer|1',1,1,'{"surface":"jira","place_id":"ISSUE_3","message_id":"COMMENT_3","rests_on":[],"made_for":[],"body":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Answer"}]}]}}',NULL,NULL,0,NULL,0);
INSERT INTO "outbox" VALUES(3,'running','2026-11-20 09:07:00.000000',1,0,'af621374e7b4d49fc3f7469fae8cd131','worker',NULL,'2026-11-20 09:04:00.000000',4,1,'jira|SITE|COMMENT_4|comment|answer|1',1,1,'{"surface":"jira","place_id":"ISSUE_4","message_id":"COMMENT_4","rests_on":[],"made_for":[],"body":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Answer"}]}]}}',NULL,NULL,0,NULL,0);
INSERT INTO "outbox" VALUES(4,'running','2026-11-20 09:07:00.000000',1,0,'b5c22354cfe207b84bdab46b6dff6d85','worker',NULL,'2026-11-20 09:05:00.000000',5,1,'slack|T1|private|5|question|answer|1',1,1,'{"surface":"slack_private","place_id":"C1","user":"U1","text":"how many?","response_url":"https://hooks.slack.com/x","asked_at":"2026-11-20T09:05:00+00:00","rests_on":[],"made_for":[],"body":{"kind":"message","text":"Answer","blocks":[]}}',NULL,NULL,0,NULL,1);
INSERT INTO "outbox" VALUES(5,'queued','2026-11-20 09:06:00.000000',0,0,NULL,NULL,NULL,'2026-11-20 09:06:00.000000',6,1,'jira|SITE|COMMENT_6|comment|answer|1',1,1,'{"surface":"jira","place_id":"ISSUE_6","message_id":"COMMENT_6","rests_on":[],"made_for":[],"body":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Answer"}]}]}}',NULL,NULL,0,NULL,0);
CREATE TABLE picture (
	content VARCHAR NOT NULL, 
	describer VARCHAR NOT NULL, 
	description TEXT, 
	refusal TEXT, 
	tokens INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_picture PRIMARY KEY (content, describer)
);
CREATE TABLE review (
	job_id INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	subject VARCHAR NOT NULL, 
	trigger_id VARCHAR NOT NULL, 
	made_for JSON NOT NULL, 
	findings JSON NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_review PRIMARY KEY (job_id), 
	CONSTRAINT fk_review_job_id FOREIGN KEY(job_id) REFERENCES job (id)
);
INSERT INTO "review" VALUES(1,1,'jira|SITE|1','COMMENT_1','["jira:RUN"]','[{"statement":"Open.","fingerprint":"f1"}]','2026-11-20 09:01:00.000000');
CREATE TABLE seen (
	"key" VARCHAR NOT NULL, 
	surface VARCHAR NOT NULL, 
	via VARCHAR NOT NULL, 
	delivery_id TEXT, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_seen PRIMARY KEY ("key")
);
INSERT INTO "seen" VALUES('jira|SITE|COMMENT_1|comment','jira','poll',NULL,'2026-11-20 09:01:00.000000');
INSERT INTO "seen" VALUES('jira|SITE|COMMENT_2|comment','jira','poll',NULL,'2026-11-20 09:02:00.000000');
INSERT INTO "seen" VALUES('jira|SITE|COMMENT_3|comment','jira','poll',NULL,'2026-11-20 09:03:00.000000');
INSERT INTO "seen" VALUES('jira|SITE|COMMENT_4|comment','jira','poll',NULL,'2026-11-20 09:04:00.000000');
INSERT INTO "seen" VALUES('slack|T1|private|5|question','slack','command',NULL,'2026-11-20 09:05:00.000000');
INSERT INTO "seen" VALUES('jira|SITE|COMMENT_6|comment','jira','poll',NULL,'2026-11-20 09:06:00.000000');
INSERT INTO "seen" VALUES('jira|SITE|COMMENT_7|comment','jira','poll',NULL,'2026-11-20 09:07:00.000000');
INSERT INTO "seen" VALUES('jira|SITE|COMMENT_8|comment','jira','poll',NULL,'2026-11-20 09:08:00.000000');
CREATE TABLE source (
	generation VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	last_success DATETIME, 
	last_attempt DATETIME, 
	last_error TEXT, 
	running_since DATETIME, 
	CONSTRAINT pk_source PRIMARY KEY (generation, name)
);
CREATE TABLE spending (
	day DATE NOT NULL, 
	purpose VARCHAR NOT NULL, 
	tokens INTEGER NOT NULL, 
	CONSTRAINT pk_spending PRIMARY KEY (day, purpose)
);
INSERT INTO "spending" VALUES('2026-11-20','pictures',3);
CREATE INDEX ix_job_due_id ON job (due, id);
CREATE INDEX ix_job_state ON job (state);
CREATE INDEX ix_feedback_job_id ON feedback (job_id);
CREATE INDEX ix_job_event_job_id ON job_event (job_id);
CREATE INDEX ix_outbox_due_id ON outbox (due, id);
CREATE INDEX ix_outbox_state ON outbox (state);
CREATE INDEX ix_picture_at ON picture (at);
CREATE UNIQUE INDEX uq_generation_searched ON generation (searched) WHERE searched;
CREATE INDEX ix_document_generation_source ON document (generation, source);
CREATE INDEX ix_review_subject ON review (subject);
CREATE INDEX ix_job_asked_by_id ON job (asked_by, id);
CREATE UNIQUE INDEX uq_outbox_delivery_key_alive ON outbox (delivery_key) WHERE state <> 'cancelled' OR begun;
CREATE INDEX ix_deployed_probe_last ON deployed (probe, last);
COMMIT;
