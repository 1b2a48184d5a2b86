CREATE TABLE `failed_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`trigger_id` text NOT NULL,
	`suffix` text NOT NULL,
	`queued_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`attempt` integer NOT NULL,
	`code` text NOT NULL,
	`message` text NOT NULL,
	`frame` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `failed_runs_run` ON `failed_runs` (`trigger_id`,`suffix`);--> statement-breakpoint
CREATE INDEX `failed_runs_queued` ON `failed_runs` (`queued_at`);--> statement-breakpoint
CREATE TABLE `reporters` (
	`trigger_id` text PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`last_number` integer NOT NULL
);
