CREATE TABLE "call_rates" (
	"id" text PRIMARY KEY NOT NULL,
	"full_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_writes" (
	"write_id" text PRIMARY KEY NOT NULL,
	"function_name" text NOT NULL,
	"payer" integer NOT NULL,
	"nonce" integer NOT NULL,
	"transactions" text[] NOT NULL,
	"state" text NOT NULL,
	"process_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"mined_hash" text,
	"mined_block" integer,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "credit_accounts" (
	"account_hash" text PRIMARY KEY NOT NULL,
	"balance_cents" bigint NOT NULL,
	"leased_cents" bigint NOT NULL,
	"debt_cents" bigint NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	CONSTRAINT "credit_accounts_no_overdraft" CHECK ("credit_accounts"."balance_cents" >= "credit_accounts"."leased_cents"),
	CONSTRAINT "credit_accounts_leased" CHECK ("credit_accounts"."leased_cents" >= 0),
	CONSTRAINT "credit_accounts_debt" CHECK ("credit_accounts"."debt_cents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "credit_leases" (
	"id" text PRIMARY KEY NOT NULL,
	"account_hash" text NOT NULL,
	"process_id" text NOT NULL,
	"cents" bigint NOT NULL,
	"reserved_cents" bigint NOT NULL,
	"sequence" integer NOT NULL,
	"asked" integer NOT NULL,
	"answered" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "credit_leases_cents" CHECK ("credit_leases"."cents" >= 0 AND "credit_leases"."reserved_cents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "gas_budgets" (
	"name" text PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"spent_wei" numeric(78, 0) NOT NULL,
	"last_wei" numeric(78, 0) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "kept_answers" (
	"id" text PRIMARY KEY NOT NULL,
	"body_hash" "bytea" NOT NULL,
	"write_id" text NOT NULL,
	"process_id" text,
	"started_at" timestamp with time zone NOT NULL,
	"answer" "bytea"
);
--> statement-breakpoint
CREATE TABLE "key_uses" (
	"key_hash" text PRIMARY KEY NOT NULL,
	"used_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_transfers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_transfers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"idempotency_key" text NOT NULL,
	"kind" text NOT NULL,
	"from_account" text NOT NULL,
	"to_account" text NOT NULL,
	"cents" bigint NOT NULL,
	"account_hash" text NOT NULL,
	"key_hash" text,
	"subject" text,
	"quantity" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ledger_transfers_idempotency_key_unique" UNIQUE("idempotency_key"),
	CONSTRAINT "ledger_transfers_cents" CHECK ("ledger_transfers"."cents" > 0),
	CONSTRAINT "ledger_transfers_accounts" CHECK ("ledger_transfers"."from_account" <> "ledger_transfers"."to_account")
);
--> statement-breakpoint
CREATE TABLE "mirror_leases" (
	"process_id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"block" bigint NOT NULL,
	"valid_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mirror_requirements" (
	"chain" text PRIMARY KEY NOT NULL,
	"block" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payers" (
	"number" integer PRIMARY KEY NOT NULL,
	"process_id" text,
	"lease_until" timestamp with time zone NOT NULL,
	"wanted_by" text
);
--> statement-breakpoint
CREATE INDEX "call_rates_full" ON "call_rates" USING btree ("full_at");--> statement-breakpoint
CREATE INDEX "chain_writes_payer" ON "chain_writes" USING btree ("payer","state");--> statement-breakpoint
CREATE INDEX "chain_writes_ended" ON "chain_writes" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "credit_leases_account" ON "credit_leases" USING btree ("account_hash");--> statement-breakpoint
CREATE INDEX "credit_leases_process" ON "credit_leases" USING btree ("process_id");--> statement-breakpoint
CREATE INDEX "credit_leases_expires" ON "credit_leases" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "kept_answers_started" ON "kept_answers" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "ledger_transfers_statement" ON "ledger_transfers" USING btree ("account_hash","created_at");