CREATE TABLE `learned_contracts` (
	`trigger_id` text NOT NULL,
	`address` text NOT NULL,
	`block_number` integer NOT NULL,
	`log_index` integer NOT NULL,
	PRIMARY KEY(`trigger_id`, `address`)
);
--> statement-breakpoint
CREATE INDEX `learned_contracts_block` ON `learned_contracts` (`block_number`);--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `learn_from` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `learning_at` integer;