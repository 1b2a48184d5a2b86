CREATE TABLE "account_emails" (
	"account_hash" text PRIMARY KEY NOT NULL,
	"email" "bytea" NOT NULL
);
