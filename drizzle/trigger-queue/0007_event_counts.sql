CREATE TABLE `event_counts` (
	`hour` integer PRIMARY KEY NOT NULL,
	`filtered` integer NOT NULL,
	`filter_errors` integer NOT NULL,
	`key_errors` integer NOT NULL,
	`deduplicated` integer NOT NULL,
	`last_error` text,
	`last_error_at` integer
);
