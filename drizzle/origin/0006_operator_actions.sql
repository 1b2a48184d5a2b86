CREATE TABLE "operator_actions" (
	"id" text PRIMARY KEY NOT NULL,
	"operator" text NOT NULL,
	"command" text NOT NULL,
	"account_hash" text NOT NULL,
	"reason" text NOT NULL,
	"cents" bigint,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "credit_accounts" ADD COLUMN "suspended_at" timestamp with time zone;--> statement-breakpoint
CREATE FUNCTION "refuse_operator_action_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'operator_actions is append-only';
END;
$$;--> statement-breakpoint
CREATE TRIGGER "operator_actions_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_actions" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_operator_action_change"();
