ALTER TABLE `trigger` ADD `webhook_secret` text;--> statement-breakpoint
ALTER TABLE `trigger` ADD `rejections` text;