CREATE TABLE `reports` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`report` text NOT NULL
);
