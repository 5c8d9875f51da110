-- Roles on several machines. Every column has a default, so the previous release goes on beside this one.

-- Until when the leader of the newest epoch leads; 0 where nobody holds it.
alter table leader add column lease_until bigint not null default 0;

alter table jobs add column feed bigint not null default 0;     -- documents that came without a job
alter table jobs add column forced bigint not null default 0;   -- unchanged documents are scored again
alter table jobs add column heard_at bigint not null default 0; -- when its last message came

-- Which relay is sending a request, and until when another leaves it alone.
alter table outbox add column relay text;
alter table outbox add column relay_until bigint not null default 0;
