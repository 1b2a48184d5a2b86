CREATE TABLE `alert_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text NOT NULL,
	`test` integer NOT NULL,
	`incident_ids` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`next_at` integer NOT NULL,
	`ended_at` integer,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `alert_deliveries_pending` ON `alert_deliveries` (`next_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `alert_deliveries_ended` ON `alert_deliveries` (`ended_at`);--> statement-breakpoint
CREATE TABLE `alert_settings` (
	`scope` text PRIMARY KEY NOT NULL,
	`signals` text,
	`channels` text,
	`muted` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE `incidents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`trigger_id` text NOT NULL,
	`trigger_name` text NOT NULL,
	`signal` text NOT NULL,
	`opened_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`resolved_at` integer,
	`count` integer NOT NULL,
	`first_run` text,
	`last_run` text,
	`code` text,
	`message` text,
	`mail_pending` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_open` ON `incidents` (`trigger_id`,`signal`) WHERE resolved_at IS NULL;--> statement-breakpoint
CREATE INDEX `incidents_mail` ON `incidents` (`id`) WHERE mail_pending = 1;