import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { refuseHost } from './http/host.ts'
import { noteAnswer } from './http/note-answer.ts'
import { inOwnWindow } from './http/own-window.ts'
import { takeWebhook } from './http/webhook.ts'
import { wakeScanner, wakeScannerOnce } from './schedule/wake-scanner.ts'

export { ChainWatcher } from './chain/watch/chain-watcher.ts'
export { EdgeMetrics } from './metrics/edge-metrics.ts'
export { RateCap } from './limits/rate-cap.ts'
export { TriggerQueue } from './queue/trigger-queue.ts'
export { Scheduler } from './schedule/scheduler.ts'
export { OriginTrust } from './trust/origin-trust.ts'

const app = createApp()

export default {
  fetch: async (request, env, context) => {
    const began = Date.now()
    wakeScannerOnce(env, context)
    const answer = await (refuseHost(request, env) ??
      takeWebhook(request, env) ??
      app.fetch(request, env, context))
    const response = inOwnWindow(answer)
    noteAnswer({ request, response, began }, env, context)
    return response
  },
  scheduled: (_, env) => wakeScanner(env),
} satisfies ExportedHandler<Env>
