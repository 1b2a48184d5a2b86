/** Time from a webhook to the end of its run, at a constant rate of webhooks that does not depend on the responses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Owner } from '../../system/owner.ts'
import { keepAliveAgent, postOnce } from '../load.ts'
import { median, percentile, report } from '../report.ts'
import { EVENT, HEADERS, latestRuns, type Trigger } from './loaded-stack.ts'

const PER_SECOND = 110
const SECONDS = 20

export async function measureLatency(owner: Owner, triggers: readonly Trigger[]): Promise<void> {
  const sentAt = await sendEvenly(triggers)
  const runs = await latestRuns(owner, triggers, Math.ceil(sentAt.size / triggers.length))
  const latencies = runs.flatMap(({ id, finished_at }) => {
    const sent = sentAt.get(id)
    return sent === undefined ? [] : [Date.parse(finished_at!) - sent]
  })
  if (latencies.length !== sentAt.size)
    throw new Error(`found ${latencies.length} of ${sentAt.size} runs`)
  const common = { bench: 'throughput', unit: 'ms' }
  report({ ...common, metric: 'webhook_to_ended_p50_ms', value: median(latencies) })
  report({ ...common, metric: 'webhook_to_ended_p99_ms', value: percentile(latencies, 0.99) })
}

/**
 * @returns the time at which each run's webhook was due, in Unix milliseconds. If this process is late to send a
 * webhook, the delay counts, because a sender would have experienced it.
 */
async function sendEvenly(triggers: readonly Trigger[]): Promise<Map<string, number>> {
  const agent = keepAliveAgent(triggers[0]!.webhook_url, Number.POSITIVE_INFINITY)
  const request = { headers: HEADERS, body: EVENT, status: 202 }
  const sentAt = new Map<string, number>()
  const began = Date.now()
  const sending: Promise<void>[] = []
  for (let n = 0; n < PER_SECOND * SECONDS; n++) {
    const due = began + (n * 1000) / PER_SECOND
    if (due > Date.now()) await sleep(due - Date.now())
    const { webhook_url } = triggers[n % triggers.length]!
    sending.push(
      postOnce(agent, webhook_url, request).then((body) => {
        sentAt.set((JSON.parse(body.toString()) as { run_id: string }).run_id, due)
      }),
    )
  }
  await Promise.all(sending)
  agent.destroy()
  return sentAt
}
