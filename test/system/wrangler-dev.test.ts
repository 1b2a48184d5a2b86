/** Plain `wrangler dev` against the origin of a local stack, as docs/configuration.md describes it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve } from '../../origin/stack/approved-token.ts'
import { freePort } from '../../origin/stack/ports.ts'
import { createClient } from '../../shared/client/client.ts'
import { newAgentToken } from '../../shared/client/agent-token.ts'
import { until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const WRANGLER = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')

let folder: string
let started: StartedStack
let wrangler: ChildProcess | undefined
let output = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-wrangler-'))
  started = await startStack()
})
afterAll(async () => {
  await stopWrangler()
  await started?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const environment = () => ({
  ...process.env,
  // Wrangler’s build command runs `node`.
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  SVC_STATE_DIR: started.stateDir,
  NODE_EXTRA_CA_CERTS: started.stack.caFile,
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
})

/** @param envFile replaces `.dev.vars` of the checkout */
async function startWrangler(envFile: string, port: number): Promise<string> {
  output = ''
  const options = ['--port', String(port), '--inspector-port', String(await freePort([port]))]
  const files = ['--env-file', envFile, '--persist-to', join(folder, 'state')]
  wrangler = spawn(process.execPath, [WRANGLER, 'dev', ...options, ...files], {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [wrangler.stdout!, wrangler.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const url = `http://localhost:${port}`
  await until(180, 'wrangler dev answers', () =>
    fetch(`${url}/health`).then(
      () => true,
      () => {
        if (wrangler?.exitCode !== null) throw new Error(output)
      },
    ),
  )
  return url
}

async function stopWrangler(): Promise<void> {
  if (!wrangler || wrangler.exitCode !== null) return
  const exit = new Promise((resolve) => wrangler!.once('exit', resolve))
  process.kill(-wrangler.pid!, 'SIGTERM')
  await exit
}

describe('wrangler dev', () => {
  it('without .dev.vars names the missing settings, and answers 503', async () => {
    const empty = join(folder, 'empty.vars')
    writeFileSync(empty, '')
    const url = await startWrangler(empty, await freePort())
    const health = await fetch(`${url}/health`)
    expect(health.status).toBe(503)
    const { settings } = (await health.json()) as { settings: { name: string }[] }
    expect(settings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ORIGIN_URL', 'PUBLIC_URL', 'CHANNEL_PSK', 'ID_MAC_KEY']),
    )
    const page = await fetch(`${url}/console`)
    expect(page.status).toBe(503)
    expect(await page.json()).toMatchObject({ reason: 'not_configured' })
    await stopWrangler()
  })

  it('with the settings of npm run dev-vars executes a webhook at the origin of the stack', async () => {
    const file = join(folder, 'dev.vars')
    const port = await freePort()
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        'origin/stack/dev-vars.ts',
        '--output',
        file,
        '--public-url',
        `http://localhost:${port}`,
        '--persist-to',
        join(folder, 'state'),
      ],
      { cwd: root, env: environment() },
    )
    expect(stdout).toContain(`NODE_EXTRA_CA_CERTS=${started.stack.caFile} npx wrangler dev`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const written = readFileSync(file, 'utf8')
    expect(written).not.toContain('fill-in')
    // The secrets are in the file only.
    expect(stdout).not.toContain(/^CHANNEL_PSK=(.+)$/m.exec(written)![1])

    const triggersUrl = await startWrangler(file, port)
    const { baseUrl } = started
    const client = createClient({ baseUrl })
    await client.newAccount({ account_name: 'developer' })
    const code = 'async function main({ event }) { return event.n + 1 }'
    const { group_id } = await client.addGroup({ group_name: 'all' })
    const cid = await client.getSvcActionIpfsId(code)
    await client.addActionToGroup({ group_id, action_ipfs_cid: cid })
    const key = await client.addUsageApiKey({ name: 'trigger', execute_in_groups: [group_id] })

    const agent = newAgentToken()
    await approve(agent.authorizeUrl(triggersUrl))
    const { triggers } = createClient({ baseUrl, triggersUrl, token: agent.token })
    await triggers.waitUntilAuthorized()
    const trigger = await triggers.create({
      name: 'add one',
      kind: 'webhook',
      action_code: code,
      usage_api_key: key.usage_api_key,
    })
    expect(trigger.webhook_url).toContain(triggersUrl)
    const { run_id } = await triggers.fire(trigger.id, JSON.stringify({ n: 41 }))
    expect(await triggers.waitForRun(run_id!)).toMatchObject({ status: 'success', response: 42 })

    // The response is up to five seconds old, and so possibly older than the verification.
    const health = async () => (await fetch(`${triggersUrl}/health`)).json()
    await expect
      .poll(health, { timeout: 60_000 })
      .toMatchObject({ origin: { trust: 'simulated', verdict: 'SIMULATED' } })
    expect(output).not.toMatch(/Uncaught|✘ \[ERROR\]/)
  })
})
