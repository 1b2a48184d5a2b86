CREATE TABLE `action_versions` (
	`action_id` text NOT NULL,
	`number` integer NOT NULL,
	`cid` text NOT NULL,
	`bytes` integer NOT NULL,
	`note` text,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`created_at` integer NOT NULL,
	`source` text NOT NULL,
	PRIMARY KEY(`action_id`, `number`),
	FOREIGN KEY (`action_id`) REFERENCES `actions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `actions` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`current_version` integer NOT NULL,
	`last_version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `actions_owner` ON `actions` (`owner_id`,`updated_at`);