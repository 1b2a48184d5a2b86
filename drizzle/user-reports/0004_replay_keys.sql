ALTER TABLE `replays` ADD `idempotency_key` text;--> statement-breakpoint
ALTER TABLE `replays` ADD `request_sha256` text;--> statement-breakpoint
CREATE INDEX `replays_idempotency_key` ON `replays` (`idempotency_key`) WHERE idempotency_key IS NOT NULL;