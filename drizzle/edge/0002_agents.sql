CREATE TABLE `agent_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`challenge` text NOT NULL,
	`label` text NOT NULL,
	`scopes` text NOT NULL,
	`user_code_hash` text NOT NULL,
	`attempts_left` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`outcome` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_requests_challenge_unique` ON `agent_requests` (`challenge`);--> statement-breakpoint
CREATE INDEX `agent_requests_expires` ON `agent_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `passkey_challenges` (
	`challenge_hash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`user_id` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `passkey_challenges_expires` ON `passkey_challenges` (`expires_at`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`credential_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`public_key` blob NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);--> statement-breakpoint
ALTER TABLE `agent_tokens` ADD `scopes` text DEFAULT 'triggers:read triggers:write' NOT NULL;