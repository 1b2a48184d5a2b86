CREATE TABLE "usage_key_limits" (
	"account_hash" text NOT NULL,
	"key_hash" text NOT NULL,
	"version" bigint NOT NULL,
	"expires_at" timestamp with time zone,
	"max_requests_per_minute" integer,
	"max_concurrent" integer,
	"allowed_origins" text[],
	"allowed_ips" text[],
	"allow_triggers" boolean,
	"updated_at" timestamp with time zone NOT NULL,
	"minute" bigint DEFAULT 0 NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	"running" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "usage_key_limits_account_hash_key_hash_pk" PRIMARY KEY("account_hash","key_hash")
);
--> statement-breakpoint
CREATE INDEX "usage_key_limits_version" ON "usage_key_limits" USING btree ("version");