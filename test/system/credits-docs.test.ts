/** The commands of docs/credits.md, in order and as they are printed, on a stack whose processor is the double. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ProcessorDouble, startProcessor } from '../doubles/processor/server.ts'
import { type StartedStack, startStack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shellBlocks = (page: string) =>
  [...readFileSync(`${root}/${page}`, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
    (match) => match[1]!,
  )

let processor: ProcessorDouble
let started: StartedStack
/** What each block of the page printed. */
let printed: string[]

beforeAll(async () => {
  processor = await startProcessor()
  started = await startStack({
    SVC_PROCESSOR_SECRET_KEY: processor.keys.secret,
    SVC_PROCESSOR_PUBLISHABLE_KEY: processor.keys.publishable,
    SVC_PROCESSOR_WEBHOOK_SECRET: processor.webhookSecret,
    SVC_PROCESSOR_URL: processor.url,
  })
  printed = await run(shellBlocks('docs/credits.md'))
}, 180_000)
afterAll(async () => {
  await started?.stop()
  await processor?.close()
})

/** What the page takes for granted: `core` and `field` as the README makes them, and the two keys. */
function before(): string {
  const definitions = shellBlocks('README.md').find((block) => block.includes('core() {'))!
  return `${definitions}
    API_KEY=$(core $BASE_URL/core/v1/new_account -d '{"account_name":"a","account_description":""}' | field .api_key)
    USAGE_KEY=$(core $BASE_URL/core/v1/add_usage_api_key -H "x-api-key: $API_KEY" -d '{"name":"execute only"}' | field .usage_api_key)
  `
}

async function run(blocks: string[]): Promise<string[]> {
  const script = ['set -euo pipefail', before(), ...blocks]
    .join('\necho; echo "=== next"\n')
    .replaceAll('https://localhost:8788', started.baseUrl)
    .replaceAll('.svc/tls/ca.pem', started.stack.caFile)
    .replaceAll('https://api.stripe.com', processor.url)
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: root })
  return stdout.split('=== next\n').slice(2)
}

/** What the block with this text in it printed, as JSON where it is. */
function answerOf(text: string, part = 0): any {
  const index = shellBlocks('docs/credits.md').findIndex((block) => block.includes(text))
  return JSON.parse(printed[index]!.trim().split(/(?<=[}\]])(?=[{[])/)[part]!)
}

it('shows a balance', () => {
  expect(answerOf('billing/balance')).toEqual({
    balance_cents: 499,
    reserved_cents: 0,
    debt_cents: 0,
    balance_display: '$4.99',
  })
})

it('tops the account up: begins a payment, pays it and confirms it', () => {
  expect(answerOf('confirm_payment')).toEqual({
    success: true,
    balance_cents: 999,
    balance_display: '$9.99',
  })
})

it('caps a usage key, shows it, and takes the cap away', () => {
  expect(answerOf('spend_window_seconds')).toEqual({ success: true })
  expect(answerOf('spend_window_seconds', 1)).toMatchObject([
    { name: 'execute only', spend_cap_cents: 100, spend_window_seconds: 86_400, spent_cents: 0 },
  ])
  expect(answerOf('"spend_cap_cents\\":null')).toEqual({ success: true })
})

it('reads what was charged, as JSON and as a table', () => {
  expect(answerOf('billing/usage')).toMatchObject([
    { kind: 'write', operation: '/core/v1/add_usage_api_key', quantity: 1, cents: 1 },
  ])
  const table = printed.at(-1)!
  expect(table).toContain('day,api_key_hash,key_name,kind,action_cid,operation,quantity,cents\r\n')
  expect(table).toContain(',write,,/core/v1/add_usage_api_key,1,1\r\n')
})
