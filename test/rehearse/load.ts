/** Clients during an upgrade: calls of the core API at the origin, and webhooks at the edge. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Journey, sendGitHubPush } from '../../origin/stack/journey.ts'

type Options = { coreUrl: string; triggersUrl: string; journey: Journey }

const CLIENTS = 3
const PAUSE_MS = 200
const WEBHOOK_MS = 200
/** Time for the accepted webhooks to be executed. A run waits up to a minute after a refusal. */
const QUEUE_MS = 180_000

export function startLoad({ coreUrl, triggersUrl, journey }: Options) {
  const { usageKey, token, trigger, action } = journey
  const enough = new AbortController()
  let calls = 0
  let refusals = 0
  const accepted: string[] = []

  /** Repeats a call that was not executed, as the client library does: 503 while draining, 429 under too much load. */
  const call = async () => {
    for (;;) {
      const response = await fetch(`${coreUrl}/core/v1/svc_action`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': usageKey },
        body: JSON.stringify(action),
      })
      const text = await response.text()
      if (response.ok) return void calls++
      if (!/"reason":"(draining|overloaded)"/.test(text))
        throw new Error(`svc_action: ${response.status} ${text.slice(0, 500)}`)
      refusals++
      await sleep(100)
    }
  }
  const caller = async () => {
    while (!enough.signal.aborted) {
      await call()
      await sleep(PAUSE_MS)
    }
  }
  const sender = async () => {
    while (!enough.signal.aborted) {
      const commit = String(accepted.length).padStart(40, '0')
      const { run_id } = await sendGitHubPush(trigger.webhook_url, trigger.secret, commit)
      accepted.push(run_id)
      await sleep(WEBHOOK_MS)
    }
  }
  const working = Promise.all([...Array.from({ length: CLIENTS }, caller), sender()])
  working.catch(() => enough.abort())

  const runs = async (offset: number) => {
    const url = `${triggersUrl}/api/triggers/${trigger.id}/runs?limit=100&offset=${offset}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    const answer = (await response.json()) as {
      runs: { id: string; status: string; error?: string }[]
    }
    return answer.runs
  }

  return {
    /** @throws {Error} if a call or a run failed */
    end: async () => {
      enough.abort()
      await working
      const waiting = new Set(accepted)
      const deadline = performance.now() + QUEUE_MS
      while (waiting.size > 0) {
        if (performance.now() > deadline)
          throw new Error(`${waiting.size} webhooks were not executed`)
        for (let offset = 0; ; offset += 100) {
          const page = await runs(offset)
          for (const { id, status, error } of page) {
            if (status === 'failed') throw new Error(`run ${id} failed: ${error}`)
            if (status === 'success') waiting.delete(id)
          }
          if (page.length < 100) break
        }
        await sleep(500)
      }
      return { calls, refusals, webhooks: accepted.length }
    },
  }
}
