CREATE TABLE `alert_channels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`target` text NOT NULL,
	`signals` text,
	`trigger_ids` text,
	`secrets` text,
	`rotated_at` integer,
	`disabled` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`succeeded_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pending_alerts` (
	`channel_id` integer NOT NULL,
	`incident_id` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `incident_id`)
);
--> statement-breakpoint
ALTER TABLE `alert_deliveries` ADD `channel_id` integer;--> statement-breakpoint
ALTER TABLE `alert_deliveries` ADD `message_id` text;--> statement-breakpoint
ALTER TABLE `alert_deliveries` ADD `status_code` integer;--> statement-breakpoint
CREATE INDEX `alert_deliveries_channel` ON `alert_deliveries` (`channel_id`,`id`);