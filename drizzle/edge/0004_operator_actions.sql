CREATE TABLE `operator_actions` (
	`id` text PRIMARY KEY NOT NULL,
	`operator` text NOT NULL,
	`command` text NOT NULL,
	`subject` text NOT NULL,
	`reason` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `operator_actions_at` ON `operator_actions` (`at`);--> statement-breakpoint
CREATE TRIGGER `operator_actions_no_update` BEFORE UPDATE ON `operator_actions` BEGIN SELECT RAISE(ABORT, 'operator_actions is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `operator_actions_no_delete` BEFORE DELETE ON `operator_actions` BEGIN SELECT RAISE(ABORT, 'operator_actions is append-only'); END;
