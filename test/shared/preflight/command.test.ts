/** `npm run preflight` as a command: exit codes, output, and files. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appComposeText } from '../../../origin/deploy/app-compose.ts'
import { fillInCompose } from '../../../origin/deploy/fill-in.ts'
import { checkOrigin } from '../../../origin/preflight/check-origin.ts'
import { readConfiguration } from '../../../origin/preflight/configuration.ts'
import { fault, ok, reportOf, runCheck, skipped } from '../../../shared/preflight/checks.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const template = readFileSync(join(root, 'origin/deploy/docker-compose.yaml'), 'utf8')
const CANARY = 'canary-2f81'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-preflight-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function preflight(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env['PATH'] }
  const script = ['--disable-warning=ExperimentalWarning', '.ci/preflight.ts', ...args]
  return new Promise((done) =>
    execFile(process.execPath, script, { cwd: root, env }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    ),
  )
}

describe('npm run preflight', () => {
  it.each([[[]], [['none']], [['edge']], [['edge', '--env', 'local']], [['origin', '--none']]])(
    'explains its usage for %j',
    async (args) => {
      const ran = await preflight(...args)
      expect(ran.code).toBe(2)
      expect(ran.err).toMatch(/^usage: npm run preflight -- /)
    },
  )

  it('prints a line for each fault of the origin’s settings, and exits with 1', async () => {
    const vars = file(
      'origin.vars',
      `SVC_ENV=production\nSVC_TEE=simulated\nSVC_CHANNEL_PSK=${CANARY}\nSVC_PUBLIC_URL=http://x\nDATABASE_URL='postgres://u:${CANARY}@127.0.0.1:1/svc'\n`,
    )
    const ran = await preflight('origin', '--vars-file', vars)
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/^SVC_TEE +FAULT: simulated is not allowed in production$/m)
    expect(ran.out).toMatch(/^DATABASE_URL +FAULT: must have sslmode=verify-full in production$/m)
    expect(ran.out).toMatch(/^SVC_CHAIN_RPC +FAULT: required$/m)
    expect(ran.out).toMatch(/^Postgres +skipped: needs DATABASE_URL$/m)
    expect(ran.out.trim()).toMatch(/\d+ faults$/)
    expect(ran.out + ran.err).not.toContain(CANARY)
  })

  it('prints JSON for programs, and a line for each placeholder of the edge', async () => {
    const ran = await preflight('edge', '--env', 'production', '--json')
    expect(ran.code).toBe(1)
    const { ok: isOk, checks } = JSON.parse(ran.out)
    expect(isOk).toBe(false)
    expect(checks).toContainEqual({
      name: 'PUBLIC_URL',
      outcome: 'fault',
      detail: 'still the placeholder of wrangler.toml',
    })
  })

  it('names a file that cannot be read', async () => {
    const ran = await preflight('origin', '--compose', join(folder, 'none.json'))
    expect(ran).toMatchObject({
      code: 2,
      err: expect.stringContaining('none.json cannot be read (ENOENT)'),
    })
    const edge = await preflight('edge', '--env', 'staging', '--vars-file', join(folder, 'none'))
    expect(edge).toMatchObject({ code: 2, err: expect.stringContaining('ENOENT') })
  })
})

describe('the compose file of an origin', () => {
  const GOOD: Record<string, unknown> = {
    image: `registry.example/svc-origin@sha256:${'5e'.repeat(32)}`,
    SVC_KMS_ROOT: `02${'ab'.repeat(32)}`,
    SVC_PUBLIC_URL: 'https://origin.example',
    SVC_CHAIN_NAME: 'base',
    SVC_CHAIN_RPC: 'https://127.0.0.1:1',
    SVC_CHAIN_FINALITY: 64,
    SVC_CONTRACT_ADDRESS: `0x${'cd'.repeat(20)}`,
    SVC_CONTRACT_BLOCK: 1,
    CHAINS: { base: { chain_id: 8453, rpc: ['https://127.0.0.1:1'] } },
    SVC_OUTBOUND_DENY: 'edge.example',
    SVC_DATABASE_CA: 'system',
  }
  const SECRETS = `SVC_CHANNEL_PSK=${'A'.repeat(43)}\nDATABASE_URL=postgres://u:${CANARY}@127.0.0.1:1/svc?sslmode=verify-full\n`

  async function check(compose: string, vars?: string) {
    const composeFile = file('app-compose.json', appComposeText(compose))
    const varsFile = vars === undefined ? undefined : file('secrets.env', vars)
    const checks = await checkOrigin(readConfiguration({ composeFile, varsFile }, {}), Date.now)
    expect(JSON.stringify(checks)).not.toContain(CANARY)
    return Object.fromEntries(
      checks.map(({ name, outcome, detail }) => [name, `${outcome}: ${detail}`]),
    )
  }

  it('is checked with the secrets, except for what is on the machine', async () => {
    expect(await check(fillInCompose(template, GOOD), SECRETS)).toMatchObject({
      'compose file': expect.stringMatching(/^ok: compose hash [0-9a-f]{64}$/),
      settings: 'ok: complete',
      machine: 'skipped: it is on the machine, which is not this one',
      'root key': 'skipped: it is on the machine, which is not this one',
      certificate: 'skipped: it is on the machine, which is not this one',
      Postgres: 'fault: cannot connect (ECONNREFUSED)',
      chain: expect.stringMatching(/^fault: the nodes in SVC_CHAIN_RPC did not respond/),
      'CHAINS.base.rpc.0': 'fault: unreachable',
    })
  })

  it('is checked without the secrets, which it lists', async () => {
    expect(await check(fillInCompose(template, GOOD))).toMatchObject({
      settings: 'ok: complete',
      DATABASE_URL: 'skipped: a secret: check it with --vars-file',
      SVC_CHANNEL_PSK: 'skipped: a secret: check it with --vars-file',
      Postgres: 'skipped: needs DATABASE_URL',
    })
  })

  it('reports a fault if a placeholder is left', async () => {
    expect(await check(template, SECRETS)).toMatchObject({
      'compose file': 'fault: contains the placeholder fill-in.invalid',
      SVC_KMS_ROOT: 'fault: expected a compressed point of 33 bytes in hex',
    })
  })

  it('reports a fault if the certificate authority has no TLS, or a secret has another name', async () => {
    const compose = fillInCompose(template, GOOD).replace(
      'SVC_ACME_DIRECTORY=https:',
      'SVC_ACME_DIRECTORY=http:',
    )
    expect(await check(compose, `${SECRETS}SVC_CHANEL_PSK=x\n`)).toMatchObject({
      SVC_ACME_DIRECTORY: 'fault: must use https in production',
      SVC_CHANEL_PSK: 'fault: not a variable that the compose file takes from the environment',
    })
  })

  it('staging settings in production: the measured text cannot be overridden by a secret', async () => {
    const found = await check(
      fillInCompose(template, GOOD),
      `${SECRETS}SVC_ENV=staging\nSVC_TEE=simulated\n`,
    )
    expect(found).toMatchObject({
      SVC_ENV: expect.stringMatching(/^fault: not a variable/),
      SVC_TEE: expect.stringMatching(/^fault: not a variable/),
    })
  })

  it('is refused if it is not the output of npm run app-compose', () => {
    const composeFile = file('compose.yaml', template)
    expect(() => readConfiguration({ composeFile }, {})).toThrow(
      'is not the output of npm run app-compose',
    )
  })
})

describe('the report', () => {
  const checks = [ok('a', 'fine'), fault('long name', 'b\nad\u001b[31m'), skipped('c', 'why')]

  it('has one line per check, without control characters', () => {
    expect(reportOf(checks, false)).toBe(
      [
        'a          ok: fine',
        'long name  FAULT: b ad [31m',
        'c          skipped: why',
        '1 fault',
      ].join('\n'),
    )
    expect(reportOf([ok('a', 'fine')], false)).toMatch(/no faults$/)
  })

  it('turns an unexpected error into a fault by its code, because its message may contain a secret', async () => {
    const error = Object.assign(new Error(CANARY, { cause: new Error(CANARY) }), { code: 'EX' })
    expect(await runCheck('x', 1_000, () => Promise.reject(error))).toEqual([fault('x', 'EX')])
    const plain = new TypeError(CANARY)
    expect(await runCheck('x', 1_000, () => Promise.reject(plain))).toEqual([
      fault('x', 'TypeError'),
    ])
  })

  it('does not wait for a check forever', async () => {
    const found = await runCheck('x', 20, () => new Promise(() => {}))
    expect(found).toEqual([fault('x', 'no result within 0.02 s')])
  })
})
