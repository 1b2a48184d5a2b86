import {
  type ApiClient,
  Conflict,
  createClient,
  newAgentToken,
  type QueuedRun,
  type StoredTrigger,
  type TriggerFields,
  Unauthorized,
} from '../../../shared/client/index.ts'
import type { Case, World } from './case.ts'
import { failsAs, isSame, isTrue } from './claims.ts'

const ECHOES = 'function main({ event }) { console.log("echoing"); return { echo: event } }'

/** Creates a webhook with a usage key that is permitted to run any action. */
async function webhook(
  client: ApiClient,
  { baseUrl, triggersUrl, token }: World,
  fields: Partial<TriggerFields> = {},
): Promise<{ triggers: ApiClient['triggers']; trigger: StoredTrigger }> {
  await client.newAccount({ account_name: 'suite' })
  const all = '0x' + '0'.repeat(64)
  const { group_id } = await client.addGroup({ group_name: 'any', cid_hashes_permitted: [all] })
  const key = await client.addUsageApiKey({ name: 'runner', execute_in_groups: [group_id] })
  // Requests pages of 2 instead of 50.
  const smallPages: typeof fetch = (input, init) =>
    fetch((input as string).replace('limit=50', 'limit=2'), init)
  const { triggers } = createClient({ baseUrl, triggersUrl, token, fetch: smallPages })
  const trigger = await triggers.create({
    name: 'suite',
    kind: 'webhook',
    action_code: ECHOES,
    usage_api_key: key.usage_api_key,
    ...fields,
  })
  return { triggers, trigger }
}

/**
 * Fires the webhook as a sender would. In Chromium its response is not readable cross-origin, so a test run is started
 * instead.
 */
async function fired(
  triggers: ApiClient['triggers'],
  { runtime }: World,
  { id }: StoredTrigger,
  event: object,
): Promise<QueuedRun> {
  if (runtime === 'Chromium') return triggers.test(id, { event })
  const body = new TextEncoder().encode(JSON.stringify(event))
  const run = await triggers.fire(id, body, { 'x-event': 'suite' })
  if (run.status === 'filtered') throw new Error('the trigger has no filter')
  return run
}

export const triggerCases: Case[] = [
  {
    name: 'a webhook is made, fired, and its run waited for',
    async run(client, world) {
      const { triggers, trigger } = await webhook(client, world)
      const { run_id } = await fired(triggers, world, trigger, { a: 1 })
      const run = await triggers.waitForRun(run_id)
      isSame([run.status, run.response], ['success', { echo: { a: 1 } }], 'the run')
      isSame(run.trigger_id, trigger.id, 'its trigger')
      isTrue(run.receipt !== null, 'it has a receipt')
      await triggers.delete(trigger.id)
    },
  },
  {
    name: 'a history is read over three pages, each run once',
    async run(client, world) {
      const { triggers, trigger } = await webhook(client, world, { max_runs_per_minute: 1 })
      const ids: string[] = []
      for (let at = 0; at < 5; at++)
        ids.unshift((await fired(triggers, world, trigger, { at })).run_id)
      const read: string[] = []
      for await (const { id } of triggers.runs(trigger.id)) {
        if (read.push(id) === 2) await fired(triggers, world, trigger, { at: 'later' })
      }
      isSame(read, ids, 'the runs')
      await triggers.delete(trigger.id)
    },
  },
  {
    name: 'a queued run is cancelled, and one that has ended run again',
    async run(client, world) {
      const { triggers, trigger } = await webhook(client, world, { max_runs_per_minute: 2 })
      const first = await fired(triggers, world, trigger, { a: 1 })
      await triggers.waitForRun(first.run_id)
      const again = await triggers.replayRun(first.run_id)
      const replayed = await triggers.waitForRun(again.run_id)
      isSame([replayed.replay_of, replayed.response], [first.run_id, { echo: { a: 1 } }], 'replay')
      const queued = await fired(triggers, world, trigger, { a: 2 })
      isSame((await triggers.cancelRun(queued.run_id)).status, 'failed', 'the cancelled run')
      const failure = await failsAs(Conflict, triggers.cancelRun(first.run_id))
      isSame(failure.code, 'run_not_queued', 'the refusal of another')
      await triggers.delete(trigger.id)
    },
  },
  {
    name: 'runs are watched as they end, each once',
    async run(client, world) {
      const { triggers, trigger } = await webhook(client, world)
      const since = trigger.created_at
      const fires = [1, 2, 3].map(async (at) => fired(triggers, world, trigger, { at }))
      const ids = (await Promise.all(fires)).map(({ run_id }) => run_id)
      const seen: string[] = []
      for await (const { id } of triggers.watchRuns(trigger.id, { since }))
        if (seen.push(id) === ids.length) break
      isSame(seen.toSorted(), ids.toSorted(), 'the runs')
      await triggers.delete(trigger.id)
    },
  },
  {
    name: 'console output is read while its run is in progress',
    async run(client, world) {
      const action_code = `async function main() {
        console.log('early')
        await new Promise((done) => setTimeout(done, 600_000))
      }`
      const { triggers, trigger } = await webhook(client, world, { action_code })
      const tail = triggers.tail(trigger.id, { since: trigger.created_at })
      const { run_id } = await fired(triggers, world, trigger, {})
      const { value } = await tail.next()
      await tail.return()
      if (value?.type !== 'line') throw new Error('the run comes first')
      isSame([value.line.run_id, value.line.text], [run_id, 'early'], 'the line')
      isSame((await triggers.run(run_id)).status, 'running', 'the status of its run')
      await triggers.delete(trigger.id)
    },
  },
  {
    name: 'a token is good for whom approved it, and one that nobody approved is Unauthorized',
    async run(client, { baseUrl, triggersUrl, token }) {
      const me = await client.triggers.waitUntilAuthorized({ token })
      isTrue(me.email.includes('@'), 'it is somebody’s')
      const made = newAgentToken()
      isTrue(!made.authorizeUrl(triggersUrl).includes(made.token), 'the URL has the challenge')
      const nobody = createClient({ baseUrl, triggersUrl, token: made.token })
      await failsAs(Unauthorized, nobody.triggers.me())
    },
  },
]
