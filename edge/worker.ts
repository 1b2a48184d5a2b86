import { waitUntil } from 'cloudflare:workers'
import { createApp } from './app.ts'
import { environmentFaults, type Env } from './env.ts'
import { rejectInvalidHost } from './http/host.ts'
import { markEnvironment } from './http/mark-environment.ts'
import { rejectIfNotConfigured } from './http/not-configured.ts'
import { recordResponse } from './http/record-response.ts'
import { withOpenerPolicy } from './http/opener-policy.ts'
import { handleWebhook } from './http/webhook.ts'
import { exportInBackground } from './telemetry/telemetry.ts'
import { wakeScanner, wakeScannerOnce } from './schedule/wake-scanner.ts'

export { ChainWatcher } from './chain/watch/chain-watcher.ts'
export { EdgeMetrics } from './metrics/edge-metrics.ts'
export { RateCap } from './limits/rate-cap.ts'
export { TriggerQueue } from './queue/trigger-queue.ts'
export { UserReports } from './reports/user-reports.ts'
export { Scheduler } from './schedule/scheduler.ts'
export { OriginTrust } from './trust/origin-trust.ts'

exportInBackground(waitUntil)
const app = createApp()

export default {
  fetch: async (request, env, context) => {
    const began = Date.now()
    const rejected = rejectIfNotConfigured(request, env)
    if (rejected) return withOpenerPolicy(rejected)
    wakeScannerOnce(env, context)
    const answer = await (rejectInvalidHost(request, env) ??
      handleWebhook(request, env) ??
      app.fetch(request, env, context))
    const response = markEnvironment(withOpenerPolicy(answer), env)
    recordResponse({ request, response, began }, env, context)
    return response
  },
  scheduled: async (_, env) => {
    if (environmentFaults(env).length === 0) await wakeScanner(env)
  },
} satisfies ExportedHandler<Env>
