/** The Worker's entry: the HTTP surface and the classes of its objects. */
import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { takeWebhook } from './http/webhook.ts'

export { TriggerQueue } from './queue/trigger-queue.ts'
export { OriginTrust } from './trust/origin-trust.ts'

const app = createApp()

export default {
  fetch: (request, env, context) => takeWebhook(request, env) ?? app.fetch(request, env, context),
} satisfies ExportedHandler<Env>
