CREATE TABLE `collecting` (
	`key` text PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL,
	`suffix` text NOT NULL,
	`revision` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`events` integer NOT NULL,
	`parts` integer NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `collecting_due` ON `collecting` (`due_at`);