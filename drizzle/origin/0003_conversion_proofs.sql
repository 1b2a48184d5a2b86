CREATE TABLE "conversion_proofs" (
	"digest" text PRIMARY KEY NOT NULL,
	"write_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "conversion_proofs_expires" ON "conversion_proofs" USING btree ("expires_at");