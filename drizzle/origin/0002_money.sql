CREATE TABLE "lease_parts" (
	"lease_id" text NOT NULL,
	"account_hash" text NOT NULL,
	"budget" text NOT NULL,
	"unlimited" boolean NOT NULL,
	"held" bigint NOT NULL,
	"asked" integer NOT NULL,
	"answered" integer NOT NULL,
	CONSTRAINT "lease_parts_lease_id_budget_pk" PRIMARY KEY("lease_id","budget"),
	CONSTRAINT "lease_parts_held" CHECK ("lease_parts"."held" >= 0)
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"intent_id" text PRIMARY KEY NOT NULL,
	"account_hash" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"look_at" timestamp with time zone,
	"looks" integer NOT NULL,
	CONSTRAINT "payments_amount" CHECK ("payments"."amount_cents" > 0)
);
--> statement-breakpoint
CREATE TABLE "processor_customers" (
	"account_hash" text PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spend_caps" (
	"account_hash" text NOT NULL,
	"key_hash" text NOT NULL,
	"cap_cents" bigint NOT NULL,
	"window_seconds" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "spend_caps_account_hash_key_hash_pk" PRIMARY KEY("account_hash","key_hash"),
	CONSTRAINT "spend_caps_values" CHECK ("spend_caps"."cap_cents" >= 0 AND "spend_caps"."window_seconds" > 0)
);
--> statement-breakpoint
CREATE TABLE "usage_days" (
	"account_hash" text NOT NULL,
	"day" date NOT NULL,
	"key_hash" text NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"cents" bigint NOT NULL,
	"quantity" bigint NOT NULL,
	CONSTRAINT "usage_days_account_hash_day_key_hash_kind_subject_pk" PRIMARY KEY("account_hash","day","key_hash","kind","subject")
);
--> statement-breakpoint
CREATE TABLE "window_sums" (
	"account_hash" text NOT NULL,
	"series" text NOT NULL,
	"step" timestamp with time zone NOT NULL,
	"amount" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "window_sums_account_hash_series_step_pk" PRIMARY KEY("account_hash","series","step")
);
--> statement-breakpoint
ALTER TABLE "lease_parts" ADD CONSTRAINT "lease_parts_lease_id_credit_leases_id_fk" FOREIGN KEY ("lease_id") REFERENCES "public"."credit_leases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lease_parts_budget" ON "lease_parts" USING btree ("account_hash","budget");--> statement-breakpoint
CREATE INDEX "lease_parts_asked" ON "lease_parts" USING btree ("lease_id") WHERE "lease_parts"."asked" > "lease_parts"."answered";--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_hash","created_at");--> statement-breakpoint
CREATE INDEX "payments_look" ON "payments" USING btree ("look_at");--> statement-breakpoint
CREATE INDEX "window_sums_expires" ON "window_sums" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "ledger_transfers_payment" ON "ledger_transfers" USING btree ("subject") WHERE "ledger_transfers"."kind" in ('payment', 'refund', 'dispute', 'reversal');--> statement-breakpoint
CREATE FUNCTION "refuse_ledger_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'ledger_transfers is append-only';
END;
$$;--> statement-breakpoint
CREATE TRIGGER "ledger_transfers_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_transfers" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_ledger_change"();
