CREATE TABLE `run_index` (
	`trigger_id` text NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`hour` integer NOT NULL,
	`last_queued_at` integer NOT NULL,
	`offsets` text NOT NULL,
	PRIMARY KEY(`trigger_id`, `first`)
);
--> statement-breakpoint
CREATE INDEX `run_index_hour` ON `run_index` (`hour`,`trigger_id`);--> statement-breakpoint
CREATE TABLE `trigger_activity` (
	`trigger_id` text PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`known_through` integer NOT NULL,
	`activity` text NOT NULL
);
