import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { svc } from './command-line.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const ESCAPES = '\u001b[2J\u202e\r'

type Answer = { status?: number; headers?: Record<string, string>; body: unknown }

let server: Server
let base: string
let answer: Answer
const asked: IncomingMessage[] = []
const folder = mkdtempSync(join(tmpdir(), 'svc-commands-'))
const environment = { SVC_CONFIG_DIR: join(folder, 'config'), SVC_API_KEY: KEY, SVC_USAGE_KEY: KEY }
beforeAll(async () => {
  writeFileSync(join(folder, 'action.js'), 'async function main() {}')
  server = createServer((request, response) => {
    asked.push(request)
    const { status = 200, headers = {}, body } = answer
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  base = `http://localhost:${(server.address() as AddressInfo).port}`
})
beforeEach(() => void asked.splice(0))
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const ask = (...words: string[]) => svc([...words, '--base-url', base], { environment, folder })
const refusal = (error: string, message = 'because') => ({ error, message, fix: 'Do this.' })

describe('the exit code', () => {
  it.each<[number, Answer, string]>([
    [2, { status: 400, body: refusal('bad_request') }, '400'],
    [2, { status: 409, body: refusal('conflict') }, '409'],
    [2, { status: 413, body: refusal('payload_too_large') }, '413'],
    [2, { status: 422, body: refusal('unprocessable') }, '422'],
    [4, { status: 401, body: refusal('unauthorized') }, '401'],
    [4, { status: 403, body: refusal('forbidden') }, '403'],
    [5, { status: 404, body: refusal('not_found') }, '404'],
    [6, { status: 402, body: refusal('payment_required') }, '402'],
    [7, { status: 503, headers: { 'retry-after': '3600' }, body: refusal('unavailable') }, '503'],
    [7, { status: 429, headers: { 'retry-after': '3600' }, body: refusal('rate_limited') }, '429'],
    [7, { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' }, 'a page'],
  ])('is %i for %j', async (code, given) => {
    answer = given
    const ran = await ask('group', 'delete', '7', '--yes', '--json')
    expect(ran).toMatchObject({ code, out: '' })
    const { error, message, fix } = JSON.parse(ran.err)
    expect([typeof error, typeof message, typeof fix]).toEqual(['string', 'string', 'string'])
  })

  it('is 1 for a failed action, with its logs, stack and receipt', async () => {
    answer = {
      status: 500,
      headers: { 'x-svc-error': 'action_threw', 'svc-receipt': 'a.b.c', 'x-svc-receipt': 'a.b.c' },
      body: 'Error: no\n    at main (action.js:1:7)\n\nlogs:\nbegun',
    }
    const ran = await ask('run', 'action.js', '--receipt', 'receipt.txt')
    expect(ran).toMatchObject({ code: 1, out: '' })
    for (const said of ['begun', 'at main (action.js:1:7)', 'svc: Error: no'])
      expect(ran.err).toContain(said)
    expect(readFileSync(join(folder, 'receipt.txt'), 'utf8')).toBe('a.b.c\n')
    const { err } = await ask('run', 'action.js', '--json')
    expect(JSON.parse(err)).toMatchObject({ error: 'action_threw', logs: 'begun' })
  })

  it('is 130 after Ctrl-C, without output', async () => {
    const around = { environment, folder, signal: AbortSignal.abort(new Error('interrupted')) }
    const ran = await svc(['wallet', 'list', '--base-url', base], around)
    expect(ran).toEqual({ code: 130, out: '', err: '' })
  })
})

describe('--json', () => {
  it('prints one document on stdout, with lists as arrays', async () => {
    answer = { body: [] }
    const ran = await ask('wallet', 'list', '--json')
    expect(ran).toEqual({ code: 0, out: '[]\n', err: '' })
  })

  it.each([
    ['an option that is none', ['wallet', 'list', '--none', '--json']],
    ['a word too many', ['wallet', 'list', 'more', '--json']],
    ['a number that is none', ['group', 'show', 'one', '--json']],
  ])('also reports %s as JSON', async (_, words) => {
    const ran = await svc(words, { environment, folder })
    expect(JSON.parse(ran.err)).toMatchObject({ error: 'usage' })
    expect(ran).toMatchObject({ code: 2, out: '' })
  })

  it('includes the request ID for reports to the operator', async () => {
    answer = { status: 404, headers: { 'x-request-id': 'r-1' }, body: refusal('not_found') }
    const ran = await ask('group', 'show', '7', '--json')
    expect(JSON.parse(ran.err)).toMatchObject({
      error: 'not_found',
      status: 404,
      request_id: 'r-1',
    })
  })
})

describe('terminal injection: a server', () => {
  it('cannot move the cursor by an error', async () => {
    answer = {
      status: 404,
      headers: { 'x-request-id': 'r' },
      body: { error: 'not_found', message: `gone${ESCAPES}`, fix: `run${ESCAPES}` },
    }
    const { err } = await ask('group', 'show', '7')
    expect(err.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(err).toContain('svc: gone?[2J??')
  })

  it('cannot move the cursor by a name in a list or by the logs and response of an action', async () => {
    const name = `evil${ESCAPES}`
    answer = {
      body: [
        { wallet_address: '0x1', pkp_id: '0x1', name, description: name, derivation_path: '0x' },
      ],
    }
    const listed = await ask('wallet', 'list')
    answer = {
      body: {
        response: name,
        logs: name,
        has_error: false,
        action_cid: 'Qm',
        duration_ms: 1,
        charged_cents: 1,
        receipt: 'a',
      },
    }
    const ran = await svc(['run', 'action.js', '--base-url', base], {
      environment,
      folder,
      isTerminal: true,
      hasColours: false,
    })
    // Also applies without colors (NO_COLOR), because the output still goes to a terminal.
    const told = listed.out + ran.out + ran.err
    expect(told.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(told.match(/evil/g)).toHaveLength(4)
  })

  it('cannot move the cursor by JSON, which escapes the characters', async () => {
    const name = 'evil\u009b31m\u202e\u{e0041}\n\u2028'
    answer = {
      body: [
        { wallet_address: '0x1', pkp_id: '0x1', name, description: name, derivation_path: '0x' },
      ],
    }
    const { out } = await ask('wallet', 'list', '--json')
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
    expect(JSON.parse(out)[0].name).toBe(name)
  })

  it('returns a text response unchanged to programs', async () => {
    answer = {
      body: {
        response: 'a\tb',
        logs: '',
        has_error: false,
        action_cid: 'Qm',
        duration_ms: 1,
        charged_cents: 1,
        receipt: 'a',
      },
    }
    expect((await ask('run', 'action.js')).out).toBe('a\tb\n')
  })
})

describe('a command that cannot be undone', () => {
  it('asks for confirmation on a terminal, and requires a yes', async () => {
    answer = { body: { success: true } }
    const words = ['group', 'delete', '7', '--base-url', base]
    const no = await svc(words, { environment, folder, typed: 'n' })
    expect(no.err).toContain('Delete group 7? [y/N]')
    expect(asked).toHaveLength(0)
    await svc(words, { environment, folder, typed: 'y' })
    expect(asked).toHaveLength(1)
  })

  it('requires --yes without a terminal', async () => {
    const ran = await ask('group', 'delete', '7')
    expect(ran.err).toContain('--yes')
    expect(ran.code).toBe(2)
    expect(asked).toHaveLength(0)
  })
})

describe('the usage key', () => {
  const [GIVEN, OTHER] = [8, 9].map((byte) => Buffer.alloc(32, byte).toString('base64'))

  it.each<[string, Record<string, string>, string[]]>([
    ['standard input', { SVC_USAGE_KEY: OTHER! }, ['--usage-key-file', '-']],
    ['a file', { SVC_USAGE_KEY: OTHER! }, ['--usage-key-file', 'given']],
    ['the file that SVC_USAGE_KEY_FILE names', { SVC_USAGE_KEY_FILE: 'given' }, []],
    ['SVC_USAGE_KEY', { SVC_USAGE_KEY: GIVEN!, SVC_USAGE_KEY_FILE: 'other' }, []],
  ])('is read from %s', async (_, variables, options) => {
    answer = { status: 403, body: refusal('forbidden') }
    writeFileSync(join(folder, 'given'), `${GIVEN}\n`)
    const around = { environment: { SVC_CONFIG_DIR: folder, ...variables }, folder }
    const words = ['run', 'action.js', '--base-url', base, ...options]
    await svc(words, { ...around, standardInput: `${GIVEN}\n` })
    expect(asked.map(({ headers }) => headers['x-api-key'])).toEqual([GIVEN])
  })
})

describe('the deployment', () => {
  it('must be named', async () => {
    const ran = await svc(['wallet', 'list'], { environment, folder })
    expect(ran.err).toContain('no deployment: use')
    expect(ran.code).toBe(2)
  })

  it.each([
    'http://origin.example',
    'https://origin.example/path',
    'https://a:b@origin.example',
    'origin',
  ])('must not be %s, which would expose a key', async (url) => {
    const ran = await svc(['wallet', 'list', '--base-url', url], { environment, folder })
    expect(ran.err).toContain('--base-url: expected')
    expect(ran.code).toBe(2)
  })

  it('does not combine a given base URL with the trigger service of another deployment', async () => {
    const kept = {
      version: 1,
      origins: {},
      edges: {},
      current: { base_url: 'https://a.example', triggers_url: 'https://b.example' },
    }
    const config = mkdtempSync(join(folder, 'config-'))
    writeFileSync(join(config, 'credentials.json'), JSON.stringify(kept), { mode: 0o600 })
    const around = { environment: { SVC_CONFIG_DIR: config, SVC_TOKEN: 'x'.repeat(64) }, folder }
    const ran = await svc(['trigger', 'list', '--base-url', base], around)
    expect(ran.err).toContain('--triggers-url')
    expect(ran.code).toBe(2)
  })
})

describe('completion', () => {
  const scriptFor = async (shell: string) => (await svc(['completion', shell])).out

  it.each<[string, string[], string[]]>([
    ['commands', ['svc', 'gro'], ['group']],
    ['commands below commands', ['svc', 'group', 'add-'], ['add-wallet', 'add-action']],
    ['options', ['svc', 'group', 'delete', '7', '--y'], ['--yes']],
    [
      'options where a value has a command’s name',
      ['svc', 'key', 'list', '--base-url', 'group', '--js'],
      ['--json'],
    ],
  ])('completes %s in bash', async (_, words, expected) => {
    const script = `${await scriptFor('bash')}
      COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
    const out = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
    expect(out.trim().split('\n').toSorted()).toEqual(expected.toSorted())
  })

  it('injection: executes nothing of the typed text in bash', async () => {
    const script = `${await scriptFor('bash')}
      COMP_WORDS=(svc '$(echo ran >&2)'); COMP_CWORD=1; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8', stdio: 'pipe' }).trim()).toBe(
      '',
    )
  })

  it.each(['zsh', 'fish'])('includes every command for %s', async (shell) => {
    const script = await scriptFor(shell)
    for (const word of ['account', 'rotate', 'trigger', 'tail', '--json'.slice(2)])
      expect(script).toContain(word)
  })
})

it('--version prints the version of the package', async () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  expect(await svc(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})
