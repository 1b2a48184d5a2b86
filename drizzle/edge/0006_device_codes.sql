ALTER TABLE `agent_requests` ADD `client_id` text;--> statement-breakpoint
CREATE INDEX `agent_requests_device` ON `agent_requests` (`user_code_hash`) WHERE client_id IS NOT NULL;