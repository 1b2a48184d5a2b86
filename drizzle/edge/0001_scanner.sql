ALTER TABLE `triggers` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `triggers` ADD `look_at` integer;--> statement-breakpoint
ALTER TABLE `triggers` ADD `checked_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `triggers_look` ON `triggers` (`look_at`);--> statement-breakpoint
CREATE INDEX `triggers_checked` ON `triggers` (`checked_at`);--> statement-breakpoint
DROP INDEX `triggers_owner`;--> statement-breakpoint
CREATE INDEX `triggers_owner` ON `triggers` (`owner_id`,`created_at`,`id`);