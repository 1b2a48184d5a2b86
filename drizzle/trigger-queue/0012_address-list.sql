CREATE TABLE `address_list` (
	`id` integer PRIMARY KEY NOT NULL,
	`addresses` text NOT NULL
);
