CREATE TABLE "audit_checkpoints" (
	"chain" text PRIMARY KEY NOT NULL,
	"block" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"account_hash" text NOT NULL,
	"sequence" bigint NOT NULL,
	"source_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"operation" text NOT NULL,
	"entry" jsonb NOT NULL,
	"details" jsonb NOT NULL,
	"client_address" "bytea",
	"hash" text NOT NULL,
	CONSTRAINT "audit_entries_account_hash_sequence_pk" PRIMARY KEY("account_hash","sequence"),
	CONSTRAINT "audit_entries_source_id_unique" UNIQUE("source_id")
);
--> statement-breakpoint
ALTER TABLE "chain_writes" ADD COLUMN "audit" jsonb;
--> statement-breakpoint
CREATE FUNCTION "refuse_audit_entry_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit_entries is append-only';
END;
$$;--> statement-breakpoint
CREATE FUNCTION "allow_client_address_erasure"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."client_address" IS NULL
		AND (NEW."account_hash", NEW."sequence", NEW."source_id", NEW."at", NEW."operation", NEW."entry", NEW."details", NEW."hash")
		IS NOT DISTINCT FROM (OLD."account_hash", OLD."sequence", OLD."source_id", OLD."at", OLD."operation", OLD."entry", OLD."details", OLD."hash")
	THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'audit_entries is append-only';
END;
$$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_append_only" BEFORE DELETE OR TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_entry_change"();--> statement-breakpoint
CREATE TRIGGER "audit_entries_erasure" BEFORE UPDATE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "allow_client_address_erasure"();
