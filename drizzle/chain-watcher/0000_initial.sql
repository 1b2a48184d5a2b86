CREATE TABLE `blocks` (
	`number` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`parent_hash` text NOT NULL,
	`timestamp` integer NOT NULL,
	`logs_bloom` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fired` (
	`trigger_id` text NOT NULL,
	`block_number` integer NOT NULL,
	PRIMARY KEY(`trigger_id`, `block_number`)
);
--> statement-breakpoint
CREATE INDEX `fired_block` ON `fired` (`block_number`);--> statement-breakpoint
CREATE TABLE `lanes` (
	`trigger_id` text NOT NULL,
	`lane` text NOT NULL,
	`next_block` integer NOT NULL,
	`next_log_index` integer NOT NULL,
	`from_block` integer,
	`to_block` integer,
	PRIMARY KEY(`trigger_id`, `lane`)
);
--> statement-breakpoint
CREATE TABLE `logs` (
	`block_number` integer NOT NULL,
	`log_index` integer NOT NULL,
	`route` text NOT NULL,
	`log` text NOT NULL,
	PRIMARY KEY(`block_number`, `log_index`)
);
--> statement-breakpoint
CREATE INDEX `logs_route` ON `logs` (`route`,`block_number`,`log_index`);--> statement-breakpoint
CREATE TABLE `marks` (
	`finality` text PRIMARY KEY NOT NULL,
	`block` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notices` (
	`serial` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`trigger_id` text NOT NULL,
	`above` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `notices_trigger` ON `notices` (`trigger_id`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`trigger_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`generation` integer NOT NULL,
	`filter` text NOT NULL,
	`finality` text NOT NULL,
	`since` integer NOT NULL,
	`covered_from` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE TABLE `watch` (
	`id` integer PRIMARY KEY NOT NULL,
	`through` integer,
	`head` integer,
	`head_timestamp` integer,
	`safe` integer,
	`finalized` integer,
	`answered_at` integer
);
