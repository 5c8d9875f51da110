-- Times are microseconds since 1970 (UTC); hashes lower-case hex text; flags 0 or 1.
-- The same columns and names as in migrations/sqlite, so that one SQL text serves both.

create table corpora (
    name text primary key,
    current_job bigint not null -- jobs.seq of the published snapshot
);

-- One row: whoever holds the newest epoch may close and publish.
create table leader (
    only_row bigint primary key check (only_row = 1),
    epoch bigint not null,
    owner text not null
);
insert into leader (only_row, epoch, owner) values (1, 0, '');

create table jobs (
    seq bigint generated always as identity primary key,
    id text not null unique,
    corpus text not null,
    state text not null check (state in ('open', 'sealed', 'closing', 'published', 'closed', 'abandoned')),
    fingerprint text not null,
    score_key text not null,
    rules_version text not null,
    fresh bigint not null,
    base bigint,                       -- jobs.seq whose snapshot is carried forward
    based bigint not null default 0,   -- whether base was decided
    n_documents bigint,                -- what the seal promised
    complete bigint not null default 0,
    begun_at bigint not null,
    closed_at bigint,
    swept bigint not null default 0    -- whether the janitor removed its files
);
create index jobs_unfinished on jobs (corpus, seq) where state in ('open', 'sealed', 'closing', 'published');

create table documents (
    job bigint not null,
    uri text collate "C" not null,
    etag text,
    size_bytes bigint,
    task bigint,                       -- tasks.number; null while unplanned and when carried
    carried bigint not null default 0,
    state text,                        -- null until terminal
    state_reason text,
    sha256 text,
    change text,
    score_key text,                    -- what it was scored under, in whichever job
    n_pages bigint not null default 0,
    n_pages_ocr bigint not null default 0,
    primary key (job, uri)
);
create index documents_unplanned on documents (job, uri) where task is null and state is null;
create index documents_by_task on documents (job, task) where task is not null;
create index documents_by_content on documents (job, sha256) where n_pages_ocr > 0;

create table tasks (
    job bigint not null,
    number bigint not null,
    state text not null check (state in ('ready', 'leased', 'done')),
    n_documents bigint not null,
    size_bytes bigint not null,
    attempt bigint not null default 0, -- claims so far: the fencing token
    owner text,
    lease_until bigint,
    primary key (job, number)
);
create index tasks_open on tasks (job, number) where state <> 'done';

-- Append-only.
create table attempts (
    id bigint generated always as identity primary key,
    job bigint not null,
    task bigint not null,
    attempt bigint not null,
    uri text collate "C" not null,
    state text not null,
    reason text not null,
    wall_ms bigint not null,
    at bigint not null
);
create index attempts_by_document on attempts (job, uri);

create table staging_files (
    file text collate "C" primary key,
    job bigint not null,
    task bigint not null,
    size_bytes bigint not null,
    registered_at bigint not null
);
create unique index staging_files_by_task on staging_files (job, task);

create table outbox (
    id text collate "C" primary key,
    corpus text not null,
    job bigint not null,
    document_sha256 text not null,
    page bigint not null,
    priority bigint not null,
    body text not null,
    created_at bigint not null,
    published_at bigint,
    withdrawn_at bigint
);
create index outbox_pending on outbox (priority desc, id) where published_at is null and withdrawn_at is null;
