CREATE TABLE "wallet_policies" (
	"hash" text PRIMARY KEY NOT NULL,
	"document" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
