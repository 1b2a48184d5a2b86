CREATE TABLE "transaction_attempts" (
	"hash" text PRIMARY KEY NOT NULL,
	"transaction_id" text NOT NULL,
	"kind" text NOT NULL,
	"nonce" bigint NOT NULL,
	"raw" text NOT NULL,
	"max_fee_per_gas" numeric(78, 0) NOT NULL,
	"max_priority_fee_per_gas" numeric(78, 0) NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transaction_defaults" (
	"account_hash" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"max_fee_per_gas" numeric(78, 0),
	"low_balance" numeric(78, 0),
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "transaction_defaults_account_hash_chain_id_pk" PRIMARY KEY("account_hash","chain_id")
);
--> statement-breakpoint
CREATE TABLE "transaction_lanes" (
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"process_id" text,
	"balance" numeric(78, 0),
	"checked_at" timestamp with time zone,
	CONSTRAINT "transaction_lanes_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "transactions_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_hash" text NOT NULL,
	"pkp_id" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"request_hash" text NOT NULL,
	"to" text NOT NULL,
	"data" text NOT NULL,
	"value" numeric(78, 0) NOT NULL,
	"gas_limit" numeric(78, 0),
	"max_fee_per_gas" numeric(78, 0),
	"speed" text NOT NULL,
	"errors" text[] NOT NULL,
	"key_hash" text NOT NULL,
	"action_cid" text NOT NULL,
	"run_id" text,
	"step" integer,
	"state" text NOT NULL,
	"waiting_for" text,
	"waiting_message" text,
	"nonce" bigint,
	"policy_hash" text,
	"policy_rule" text,
	"mined_hash" text,
	"mined_block" bigint,
	"mined_block_hash" text,
	"gas_used" numeric(78, 0),
	"effective_gas_price" numeric(78, 0),
	"replaced_by" text,
	"failure_code" text,
	"failure_message" text,
	"cancel_requested_at" timestamp with time zone,
	"speed_up_requested_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "transaction_attempts" ADD CONSTRAINT "transaction_attempts_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "transaction_attempts_transaction" ON "transaction_attempts" USING btree ("transaction_id");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_nonce" ON "transactions" USING btree ("chain_id","address","nonce");--> statement-breakpoint
CREATE INDEX "transactions_open" ON "transactions" USING btree ("chain_id","address","sequence") WHERE "transactions"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "transactions_account" ON "transactions" USING btree ("account_hash","sequence");--> statement-breakpoint
CREATE INDEX "transactions_run" ON "transactions" USING btree ("run_id") WHERE "transactions"."run_id" is not null;