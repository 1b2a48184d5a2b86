CREATE TABLE "processes" (
	"id" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"heartbeat_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "replay_ids" (
	"request_id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run_claims" (
	"account_hash" text NOT NULL,
	"run_id" text NOT NULL,
	"process_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"claimed_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"outcome" "bytea",
	CONSTRAINT "run_claims_account_hash_run_id_pk" PRIMARY KEY("account_hash","run_id")
);
--> statement-breakpoint
CREATE INDEX "replay_ids_expires" ON "replay_ids" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "run_claims_run" ON "run_claims" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "run_claims_ended" ON "run_claims" USING btree ("ended_at");