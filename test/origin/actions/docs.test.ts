import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'
import { afterAll, describe, expect, it } from 'vitest'
import { PLACEHOLDER_WALLET, TEMPLATES } from '../../../edge/browser/console/actions/templates.ts'
import { ACTION_NAMES } from '../../../edge/browser/editor/action-names.ts'
import { WILDCARD } from '../../../shared/cid/wildcard.ts'
import { FAILURE_CODES, type ActionResult } from '../../../origin/actions/run.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import * as limits from '../../../shared/limits.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { accountOf, keyring } from '../runs/wallet-holder.ts'
import { RecordingService } from '../transactions/recording-service.ts'
import { sharedPool } from './sandbox.ts'

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/actions.md', import.meta.url)),
  'utf8',
)

/** The outcome stated under an example: `response` if it returns, `code` and `message` if it fails. */
type Stated = {
  js_params: unknown
  response?: unknown
  code?: string
  message?: string
  stack?: string
  logs?: string
}

/** Returns every JavaScript block with its heading and the JSON block that follows it. */
function examples(): [name: string, code: string, stated: Stated][] {
  let heading = ''
  let count = 0
  const found: [string, string, Stated][] = []
  const blocks = /^#+ ([^\n]+)$|^```js\n(.*?)^```\n\n```json\n(.*?)^```$/gms
  for (const [, title, code, end] of page.matchAll(blocks)) {
    if (title !== undefined) [heading, count] = [title, 0]
    else found.push([`${heading} ${++count}`, code ?? '', JSON.parse(end ?? '') as Stated])
  }
  return found
}

/** The account of the examples, with one wallet and a group that permits it to every action. */
const account = accountOf('account', ['permitted'], [])
const group = { ...account.groups.get(1)!, cidHashes: new Set([WILDCARD]) }
const holder = { account: { ...account, groups: new Map([[1, group]]) }, keyHash: account.hash }

/** The server that answers the requests of the examples. */
const server = await startWebServer((_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end('{"price":"3120.50"}')
})
afterAll(() => server.close())
const here = (code: string) =>
  code.replaceAll('https://api.example.com', `http://127.0.0.1:${server.port}`)

/** Converts the result of a run to the form in which examples state it. */
function stated(result: ActionResult): Stated {
  const logs = 'logs' in result ? result.logs.map(({ text }) => text).join('\n') : ''
  if (result.kind === 'returned')
    return { js_params: null, response: JSON.parse(result.value) as unknown, logs }
  if (result.kind === 'lost') throw new Error(result.reason)
  return { js_params: null, code: result.code, message: result.message, stack: result.stack, logs }
}

/** Returns the same value with a pattern in place of each text that contains an ellipsis. */
function expectation(value: unknown): unknown {
  if (typeof value === 'string' && value.includes('…')) {
    const parts = value.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return expect.stringMatching(new RegExp(`^${parts.join('.+?')}$`, 's'))
  }
  if (Array.isArray(value)) return value.map(expectation)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expectation(inner)]))
}

/** Globals of the language itself, and the engine's error for exhausted memory. */
const ofTheLanguage = [
  ...(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]),
  'InternalError',
].filter((name) => name !== 'console')

describe('docs/actions.md', () => {
  const outbound = { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] }
  const sandbox = sharedPool({ min: 1, max: 2, outbound })

  it.each(examples())(
    'states the actual outcome of each example: %s',
    async (_name, code, expected) => {
      const cid = await actionCid(code)
      const sending = { service: new RecordingService() }
      const capability = capabilityFor(keyring, cid, () => holder, undefined, sending)
      const params = JSON.stringify(expected.js_params)
      const result = stated(await sandbox.run(here(code), { params }, capability))
      const { js_params: _given, ...end } = expected
      expect(result).toMatchObject(expectation(end) as object)
      expect('response' in result).toBe('response' in expected)
    },
  )

  it('states an outcome for every JavaScript block', () => {
    expect(examples().length).toBe(page.split('\n```js\n').length - 1)
    expect(examples().length).toBeGreaterThan(12)
  })

  it('has a row for every failure code of a run', () => {
    const [, table = ''] = page.split('| Code | Meaning |')
    const rows = [...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code)
    expect(FAILURE_CODES.filter((code) => !rows.includes(code))).toEqual([])
  })

  it.each([
    [
      'wall clock',
      `${limits.EXECUTION_WALL_MS / 1000} s; .* ${limits.EXECUTION_WALL_MAX_MS / 1000} s`,
    ],
    ['CPU', `${limits.EXECUTION_CPU_MS / 1000} s`],
    ['memory', `${limits.ACTION_MEMORY_BYTES / 2 ** 20} MiB`],
    [
      'source',
      `${limits.SOURCE_MAX_BYTES / 2 ** 20} MiB; ${limits.TRIGGER_SOURCE_MAX_BYTES / 2 ** 20} MiB`,
    ],
    ['`js_params`', `${limits.PARAMS_MAX_BYTES / 2 ** 20} MiB`],
    [
      'returned value',
      `${limits.RESULT_MAX_BYTES / 2 ** 20} MiB of JSON, at most ${limits.JSON_DEPTH_MAX} levels`,
    ],
    ['console', `${limits.LOGS_MAX_BYTES / 1024} KiB`],
    ['key operations', `${limits.KEY_OPERATIONS_MAX} `],
    ['message of `encrypt`', `${limits.ENCRYPTED_MESSAGE_MAX_BYTES / 1024} KiB`],
    ['input of signing', `a message of ${limits.SIGNING_INPUT_MAX_BYTES / 1024} KiB`],
    ['outbound requests', `${limits.OUTBOUND_REQUESTS_MAX},`],
    ['outbound response', `${limits.OUTBOUND_RESPONSE_MAX_BYTES.toLocaleString('en')} bytes`],
    ['outbound request', `a body of ${limits.OUTBOUND_BODY_MAX_BYTES.toLocaleString('en')} bytes`],
    [
      'outbound request',
      `a URL of ${limits.OUTBOUND_URL_MAX_CHARACTERS.toLocaleString('en')} characters`,
    ],
    ['outbound request', `${limits.OUTBOUND_REDIRECTS_MAX} redirects`],
  ])('documents the current limit for %s: %s', (what, figure) => {
    const [, table = ''] = page.split('| What | Limit |')
    expect(table).toMatch(new RegExp(`^\\| ${what} \\| (.* )?${figure}`, 'm'))
  })

  it('documents every function of Svc.Actions, and every global that is not part of the language', async () => {
    const code = `const main = () => [Object.keys(Svc.Actions), Object.getOwnPropertyNames(globalThis)]`
    const [actions, globals] = (await sandbox.value(code)) as [string[], string[]]
    expect(actions.filter((name) => !page.includes(`| \`${name}(`))).toEqual([])
    const own = globals.filter((name) => !ofTheLanguage.includes(name) && name !== 'main')
    const [, there = ''] = page.split('## What there is')
    const named = (name: string) => new RegExp(`\`${name}(\\.|\`)`).test(there)
    expect(own.filter((name) => !named(name))).toEqual([])
  })

  it('lists as missing only globals that are missing', async () => {
    const [, list = ''] = /^Not there: (.*?)\n\n/ms.exec(page) ?? []
    const names = [...list.matchAll(/`([A-Za-z]+)`/g)].flatMap(([, name]) =>
      name === undefined || name === 'digest' ? [] : [name],
    )
    const code = `const main = ({ names }) => names.filter((name) => name in globalThis)`
    expect(names.length).toBeGreaterThan(5)
    expect(await sandbox.value(code, { names })).toEqual([])
  })

  it('editor completions offer only existing names', async () => {
    const paths = [...ACTION_NAMES].flatMap(([within, names]) =>
      names.map(({ name }) => within + name),
    )
    const code = `const main = ({ paths }) => paths.filter((path) =>
      path.split('.').reduce((value, name) => value?.[name], globalThis) === undefined)`
    expect(paths.length).toBeGreaterThan(60)
    expect(await sandbox.value(code, { paths })).toEqual([])
  })

  it.each(TEMPLATES)('runs the console’s template: $name', async ({ source, params }) => {
    const [, secret] = /^const SECRET = '(.+)'$/m.exec(page) ?? []
    const mac = /sha256=(?!0{64})[0-9a-f]{64}/.exec(page)?.[0]
    const filled = (text: string) =>
      text
        .replaceAll(PLACEHOLDER_WALLET, '0x4BA7C1C0E0Ad17900644A9BC8e7E73a8f9311485')
        .replace("SECRET = ''", `SECRET = '${secret}'`)
        .replace(/sha256=0{64}/, mac ?? '')
        .replace(/https:\/\/api\.github\.com/, 'https://api.example.com')
    const code = here(filled(source))
    const capability = capabilityFor(keyring, await actionCid(code), () => holder)
    const result = await sandbox.run(code, { params: here(filled(params)) }, capability)
    expect(stated(result)).toHaveProperty('response')
  })
})
