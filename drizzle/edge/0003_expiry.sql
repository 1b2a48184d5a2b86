CREATE INDEX `magic_links_expires` ON `magic_links` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sessions_expires` ON `sessions` (`expires_at`);