CREATE TABLE `account_shares` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`email` text NOT NULL,
	`user_id` text,
	`scope` text NOT NULL,
	`invited_at` integer NOT NULL,
	`accepted_at` integer,
	`opened_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `linked_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_shares_email` ON `account_shares` (`account_id`,`email`);--> statement-breakpoint
CREATE INDEX `account_shares_invited` ON `account_shares` (`email`);--> statement-breakpoint
CREATE INDEX `account_shares_user` ON `account_shares` (`user_id`);--> statement-breakpoint
CREATE TABLE `linked_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`sealed_usage_key` blob NOT NULL,
	`key_hash` text NOT NULL,
	`account_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`opened_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `linked_accounts_owner` ON `linked_accounts` (`owner_id`);