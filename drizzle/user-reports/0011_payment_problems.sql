ALTER TABLE `key_checks` ADD `full_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `watched_keys` ADD `payment_problem` text;