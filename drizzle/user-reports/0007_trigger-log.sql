CREATE TABLE `trigger_log` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`entry` text NOT NULL,
	`details` text NOT NULL,
	`client_address` text,
	`client_address_salt` text,
	`sha256` text NOT NULL
);
