CREATE TABLE `run_keys` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`key` text,
	`state` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `run_keys_key` ON `run_keys` (`key`,`state`,`sequence`);--> statement-breakpoint
CREATE INDEX `run_keys_ready` ON `run_keys` (`sequence`) WHERE state IN (1, 3);--> statement-breakpoint
ALTER TABLE `trigger` ADD `keyed` integer DEFAULT false NOT NULL;