CREATE TABLE `body_parts` (
	`sequence` integer NOT NULL,
	`part` integer NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`sequence`, `part`)
);
--> statement-breakpoint
CREATE TABLE `results` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`result` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `revisions` (
	`revision` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`action_cid` text NOT NULL,
	`action_code` text NOT NULL,
	`default_params` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `runs` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`suffix` text NOT NULL,
	`status` text NOT NULL,
	`revision` integer NOT NULL,
	`queued_at` integer NOT NULL,
	`firing` text NOT NULL,
	`body` blob,
	`body_bytes` integer NOT NULL,
	`attempt` integer NOT NULL,
	`started_at` integer,
	`lease_until` integer,
	`next_attempt_at` integer,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_suffix_unique` ON `runs` (`suffix`);--> statement-breakpoint
CREATE INDEX `runs_live` ON `runs` (`status`,`sequence`) WHERE status IN ('queued', 'running');--> statement-breakpoint
CREATE TABLE `starts` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `trigger` (
	`id` integer PRIMARY KEY NOT NULL,
	`trigger_id` text NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`config` text NOT NULL,
	`enabled` integer NOT NULL,
	`max_runs_per_minute` integer NOT NULL,
	`max_queued_runs` integer NOT NULL,
	`concurrency` integer NOT NULL,
	`revision` integer NOT NULL,
	`sealed_usage_key` blob NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
