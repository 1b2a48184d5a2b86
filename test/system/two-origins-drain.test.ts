import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startWebServer, type WebServer } from '../doubles/web-server.ts'
import { AccountHolder } from './account-holder.ts'
import { type Answer, type OriginProcess, type Origins, startOrigins } from './origins.ts'

let world: Origins
let calls: WebServer
let holder: AccountHolder
beforeAll(async () => {
  calls = await startWebServer((_, response) => response.end('counted'))
  world = await startOrigins(2, {
    settings: {
      SVC_DRAIN_MS: '50000',
      SVC_OUTBOUND_ALLOW: `127.0.0.1:${calls.port}`,
      SVC_EXECUTORS_MAX: '4',
    },
  })
  holder = await AccountHolder.open(world.origins[0]!)
})
afterAll(async () => {
  await world?.close()
  await calls?.close()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(world.lines.slice(-40).join('\n'))
})

/** Number of clients that execute actions, and number of clients that write. */
const CLIENTS = 4

/** A client that goes on at the other process after a 503, as behind a load balancer. */
class Client {
  readonly answers: Answer[] = []
  refusals = 0
  #at: number

  constructor(first: number) {
    this.#at = first
  }

  get #origin(): OriginProcess {
    return world.origins[this.#at]!
  }

  async call(path: string, body: object): Promise<void> {
    for (;;) {
      const answer = await holder.call(this.#origin, path, body)
      if (answer.body.reason !== 'draining') return void this.answers.push(answer)
      this.refusals++
      this.#at = 1 - this.#at
    }
  }
}

async function groupNames(): Promise<string[]> {
  const names: string[] = []
  for (let page = 0; ; page++) {
    const path = `list_groups?page_number=${page}&page_size=100`
    const groups: { name: string }[] = await holder.ok(world.origins[0]!, path)
    if (groups.length === 0) return names
    names.push(...groups.map(({ name }) => name))
  }
}

it('one of two processes drains under load, and no call of a client that retries elsewhere fails', async () => {
  const code = `async function main({ n }) {
    await fetch('http://127.0.0.1:${calls.port}/' + n)
    await new Promise((resolve) => setTimeout(resolve, 300))
    return n
  }`
  // Simultaneous runs of an action wait until its first run has ended.
  await holder.ok(world.origins[0]!, 'svc_action', { code, js_params: { n: -1 } })

  const enough = new AbortController()
  let next = 0
  const names: string[] = []
  const clients = Array.from({ length: 2 * CLIENTS }, (_, at) => new Client(at % 2))
  const load = clients.map(async (client, at) => {
    while (!enough.signal.aborted) {
      if (at < CLIENTS) await client.call('svc_action', { code, js_params: { n: next++ } })
      else {
        const group_name = `group ${next++}`
        names.push(group_name)
        await client.call('add_group', { group_name })
      }
    }
  })
  const settled = Promise.all(load)
  settled.catch(() => {})
  for (const origin of world.origins) {
    await sleep(1_000)
    expect(await origin.stop()).toBe('exited with code 0')
    await origin.start()
  }
  await sleep(1_000)
  enough.abort()
  await settled

  const answers = clients.flatMap((client) => client.answers)
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  for (const client of clients) expect(client.refusals).toBeGreaterThan(0)
  const executed = calls.received.map(({ url }) => url)
  expect(new Set(executed).size).toBe(executed.length)
  const runs = clients.slice(0, CLIENTS).flatMap((client) => client.answers)
  expect(executed.length).toBe(runs.length + 1)
  expect((await groupNames()).toSorted()).toEqual(names.toSorted())
  expect(world.lines.filter((line) => /"(run\.lost|claims\.reaped)"/.test(line))).toEqual([])
})
