CREATE TABLE `verified_origin` (
	`id` integer PRIMARY KEY NOT NULL,
	`identity` text NOT NULL,
	`checked_at` integer NOT NULL
);
