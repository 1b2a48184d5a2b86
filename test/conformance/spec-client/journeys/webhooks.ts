import { createHmac } from 'node:crypto'

import { ECHO, GITHUB_SECRET, THROW, VERIFY_GITHUB } from '../action-sources.ts'
import type { SpecClient } from '../client.ts'
import { hasRunId } from '../discover.ts'
import { hold, same } from '../hold.ts'
import { fieldsOf, isFields } from '../http.ts'
import { pause, until } from '../wait.ts'
import { executeOnly, type Journey } from '../world.ts'
import { USABLE, webhook } from './triggers.ts'

const FIRED: Journey['needs'] = [...USABLE, 'webhook-triggers', 'webhook-firing', 'runs']
const STATES = ['queued', 'running', 'success', 'failed']

export async function ended(client: SpecClient, token: string, trigger: string, run: string) {
  return until(`the end of run ${run}`, 30, async () => {
    const runs = await client.triggers.runs(token, trigger)
    const seen = runs.find((row) => hasRunId(row, run))
    if (seen)
      hold(STATES.includes(String(seen['status'])), `a known state: ${JSON.stringify(seen)}`)
    return seen && ['success', 'failed'].includes(String(seen['status'])) ? seen : undefined
  })
}

function signedAsGitHub(body: string): Record<string, string> {
  const mac = createHmac('sha256', GITHUB_SECRET).update(body, 'utf8').digest('hex')
  return { 'x-hub-signature-256': `sha256=${mac}`, 'x-github-event': 'issues' }
}

/** Params that the action received, as returned by the ECHO action. */
async function received(client: SpecClient, token: string, trigger: string, run: string) {
  const { status, response, error } = await ended(client, token, trigger, run)
  same(status, 'success', `the run succeeds (${JSON.stringify(error)})`)
  hold(isFields(response), 'the params come back')
  return response
}

export const webhooks: Journey[] = [
  {
    name: 'a signed delivery is answered 202 and becomes a run that verifies it',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, VERIFY_GITHUB)
      const body = '{ "action" : "opened",\n\t"text": "Ünïcödé \\u00e9 🙂",  "n": 1.0 }\n'
      const run = await client.triggers.fire(id, { body, headers: signedAsGitHub(body) })
      const { status, response, error } = await ended(client, token, id, run)
      same(status, 'success', `the HMAC holds over event_raw (${JSON.stringify(error)})`)
      same(fieldsOf(response)['action'], 'opened', 'the parsed body')
    },
  },
  {
    name: 'a delivery with a wrong signature still fires, and the action refuses it',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, VERIFY_GITHUB)
      const headers = signedAsGitHub('another body')
      const run = await client.triggers.fire(id, { body: '{}', headers })
      const { status, error } = await ended(client, token, id, run)
      same(status, 'failed', 'the action throws')
      hold(JSON.stringify(error).includes('not from the sender'), 'with its message')
    },
  },
  {
    name: 'an action gets the parsed body, the exact body and safe headers, never credentials',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO)
      const body = '{ "a":[1, 2] ,"b":"ß"}'
      const secrets = {
        authorization: 'Bearer of-the-sender',
        cookie: 'session=of-the-sender',
        'x-api-key': 'key-of-the-sender',
      }
      const headers = { ...signedAsGitHub(body), ...secrets }
      const run = await client.triggers.fire(id, { body, headers })
      const params = await received(client, token, id, run)
      same(params['event'], { a: [1, 2], b: 'ß' }, 'event')
      same(params['event_raw'], body, 'event_raw')
      const passed = params['headers']
      hold(isFields(passed), 'headers')
      const names = Object.keys(passed).map((name) => name.toLowerCase())
      hold(names.includes('x-hub-signature-256'), 'the verification header is passed')
      const leaked = Object.keys(secrets).filter((name) => names.includes(name))
      same(leaked, [], 'credentials are stripped')
      hold(!JSON.stringify(params).includes('of-the-sender'), 'nor do they come another way')
    },
  },
  {
    name: 'a text body fires too',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO)
      const body = 'just a line of text\r\n'
      const headers = { 'content-type': 'text/plain' }
      const run = await client.triggers.fire(id, { body, headers })
      const params = await received(client, token, id, run)
      same(params['event_raw'], body, 'event_raw')
    },
  },
  {
    name: 'each delivery is a run of its own',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO)
      const [first, second] = await Promise.all([
        client.triggers.fire(id, { body: '{"n":1}' }),
        client.triggers.fire(id, { body: '{"n":1}' }),
      ])
      hold(first !== second, 'two ids')
      await ended(client, token, id, first)
      await ended(client, token, id, second)
    },
  },
  {
    name: 'a run that succeeded shows its input and response',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO)
      const run = await client.triggers.fire(id, { body: '{"marker":"m-4711"}' })
      const seen = await ended(client, token, id, run)
      same(seen['status'], 'success', 'status')
      hold(JSON.stringify(seen['input']).includes('m-4711'), 'input')
      hold(JSON.stringify(seen['response']).includes('m-4711'), 'response')
    },
  },
  {
    name: 'the run of an action that throws is failed, with message and JS stack',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, THROW)
      const run = await client.triggers.fire(id, { body: '{"where":"Uri"}' })
      const { status, error } = await ended(client, token, id, run)
      same(status, 'failed', 'status')
      const text = typeof error === 'string' ? error : JSON.stringify(error)
      hold(text.includes('the sky fell on Uri'), 'the message')
      hold(/(\n|\\n)\s*at /.test(text) && text.includes('deepInside'), 'the stack')
    },
  },
  {
    name: 'a run whose key may not execute the action is failed',
    needs: FIRED,
    async run(client, world) {
      const account = await world.account()
      const group = await client.core.addGroup(account.apiKey, { name: 'permits nothing' })
      const key = await client.core.addUsageApiKey(account.apiKey, executeOnly([group]))
      const { id, token } = await webhook(client, world, ECHO, { usage_api_key: key })
      const run = await client.triggers.fire(id, { body: '{}' })
      const { status, error } = await ended(client, token, id, run)
      same(status, 'failed', 'status')
      hold(error, 'it says why')
    },
  },
  {
    name: 'limit and offset page through the runs',
    needs: FIRED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO)
      for (const body of ['{"n":1}', '{"n":2}', '{"n":3}']) {
        await ended(client, token, id, await client.triggers.fire(id, { body }))
      }
      const pages = await Promise.all(
        [0, 1, 2, 3].map((offset) => client.triggers.runs(token, id, { limit: 1, offset })),
      )
      same(
        pages.map((page) => page.length),
        [1, 1, 1, 0],
        'one run a page',
      )
      const inputs = new Set(pages.flat().map((run) => JSON.stringify(run['input'])))
      same(inputs.size, 3, 'each page another run')
    },
  },
  {
    name: 'a disabled trigger does not fire, and fires again when it is enabled',
    needs: [...FIRED, 'trigger-updates'],
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO)
      await ended(client, token, id, await client.triggers.fire(id, { body: '{}' }))
      same((await client.triggers.setEnabled(token, id, false))['enabled'], false, 'enabled')
      await client.triggers.deliver(id, { body: '{}' })
      await pause(3000)
      same((await client.triggers.runs(token, id)).length, 1, 'no run while disabled')
      same((await client.triggers.setEnabled(token, id, true))['enabled'], true, 'enabled')
      await ended(client, token, id, await client.triggers.fire(id, { body: '{}' }))
    },
  },
  {
    name: 'max_runs_per_minute holds back what comes too fast',
    needs: [...FIRED, 'run-caps'],
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO, { max_runs_per_minute: 1 })
      for (const body of ['{"n":1}', '{"n":2}', '{"n":3}']) {
        await client.triggers.deliver(id, { body })
      }
      await pause(5000)
      const runs = await client.triggers.runs(token, id)
      const started = runs.filter((run) => ['running', 'success'].includes(String(run['status'])))
      same(started.length, 1, 'one run in its first seconds')
    },
  },
  {
    name: 'max_queued_runs bounds what waits',
    needs: [...FIRED, 'run-caps'],
    async run(client, world) {
      const caps = { max_runs_per_minute: 1, max_queued_runs: 2 }
      const { id, token } = await webhook(client, world, ECHO, caps)
      for (let n = 0; n < 8; n++) await client.triggers.deliver(id, { body: `{"n":${n}}` })
      const runs = await client.triggers.runs(token, id)
      const waiting = runs.filter((run) => run['status'] === 'queued')
      hold(waiting.length <= 2, `at most two wait (${waiting.length})`)
    },
  },
]
