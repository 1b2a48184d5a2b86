ALTER TABLE `key_checks` ADD `with_balances` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `watched_keys` ADD `account_hash` text;--> statement-breakpoint
ALTER TABLE `watched_keys` ADD `balance_cents` integer;