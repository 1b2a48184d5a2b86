ALTER TABLE `trigger` ADD `failure_rate_threshold` real;--> statement-breakpoint
ALTER TABLE `trigger` ADD `queue_share_threshold` real;