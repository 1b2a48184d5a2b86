CREATE TABLE `address_lists` (
	`trigger_id` text PRIMARY KEY NOT NULL,
	`addresses` blob NOT NULL
);
