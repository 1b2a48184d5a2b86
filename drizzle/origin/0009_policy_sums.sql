CREATE TABLE "database_timelines" (
	"timeline" text PRIMARY KEY NOT NULL,
	"complete_since" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "policy_signatures" (
	"pkp_id" text NOT NULL,
	"digest" text NOT NULL,
	"policy_hash" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "policy_signatures_pkp_id_digest_pk" PRIMARY KEY("pkp_id","digest")
);
--> statement-breakpoint
CREATE TABLE "policy_sums" (
	"pkp_id" text NOT NULL,
	"key" text NOT NULL,
	"state" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "policy_sums_pkp_id_key_pk" PRIMARY KEY("pkp_id","key")
);
--> statement-breakpoint
CREATE INDEX "policy_signatures_expires" ON "policy_signatures" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "policy_sums_expires" ON "policy_sums" USING btree ("expires_at");--> statement-breakpoint
INSERT INTO "database_timelines" ("timeline", "complete_since")
SELECT (pg_control_system()).system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8), now();
