CREATE TABLE `log_parts` (
	`block_number` integer NOT NULL,
	`log_index` integer NOT NULL,
	`part` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`block_number`, `log_index`, `part`)
);
