DROP INDEX `incidents_open`;--> statement-breakpoint
ALTER TABLE `incidents` ADD `shared_hash` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `incidents_open` ON `incidents` (`trigger_id`,`signal`,`shared_hash`) WHERE resolved_at IS NULL;