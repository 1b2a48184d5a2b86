/** The Worker's entry: the HTTP surface and the classes of its objects. */
import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { takeWebhook } from './http/webhook.ts'
import { wakeScanner, wakeScannerOnce } from './schedule/wake-scanner.ts'

export { ChainWatcher } from './chain/watch/chain-watcher.ts'
export { RateCap } from './limits/rate-cap.ts'
export { TriggerQueue } from './queue/trigger-queue.ts'
export { Scheduler } from './schedule/scheduler.ts'
export { OriginTrust } from './trust/origin-trust.ts'

const app = createApp()

export default {
  fetch: (request, env, context) => {
    wakeScannerOnce(env, context)
    return takeWebhook(request, env) ?? app.fetch(request, env, context)
  },
  scheduled: (_, env) => wakeScanner(env),
} satisfies ExportedHandler<Env>
