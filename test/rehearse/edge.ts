/** The edge in workerd, behind a host that does what Cloudflare's network does: TLS, and the address of the client. */
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as forward } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeBundles } from '../../origin/stack/bundles.ts'
import { Child } from '../../origin/stack/child.ts'
import { inheritedEnvironment } from '../../origin/stack/child-environment.ts'
import { NODE_OPTIONS } from '../../origin/node-options.ts'
import type { Certificate } from '../doubles/web-server.ts'
import { ROOT, run } from './commands.ts'
import { documentedCommand } from './documented-command.ts'
import { type Host, HOSTS } from './hosts.ts'

const EDGE_ENTRY = fileURLToPath(new URL('../../origin/stack/edge-runner.ts', import.meta.url))
const EDGE_PORT = 8786
const TCB_STATUSES = 'UpToDate'

type Options = {
  folder: string
  url: string
  certificate: Certificate
  /** Variables of `[env.staging.vars]`. */
  wranglerVars: Record<string, string>
  secrets: Record<string, string>
  env: Record<string, string>
  onLine: (line: string) => void
}

/**
 * Checks the deployment and starts the Worker. The machine is a double, so the Worker has the settings of production
 * with the trust of staging; with the trust of production, the preflight has to refuse the origin.
 */
export async function startEdge(options: Options) {
  const { folder, url, certificate, wranglerVars, secrets, env, onLine } = options
  mkdirSync(folder)
  const host = new URL(url).hostname as Host
  const preflight = (name: string, vars: Record<string, string>, exitCode: number) => {
    const config = join(folder, `wrangler-${name}.toml`)
    writeFileSync(config, filledIn(host, vars))
    const varsFile = join(folder, `${name}.vars`)
    const lines = Object.entries({ ...vars, ...secrets }).map(([key, value]) => `${key}='${value}'`)
    writeFileSync(varsFile, lines.join('\n'), { mode: 0o600 })
    // The second command of the line uploads the Worker.
    const [command] = documentedCommand(
      'docs/deploy.md',
      '--env production && npm run deploy-edge',
      {
        'edge --env production': `edge --env ${name} --config ${config} --vars-file ${varsFile}`,
      },
    ).split(' && ')
    return run(command!, { env, exitCode })
  }
  const staging: Record<string, string> = {
    SVC_ENV: 'staging',
    ORIGIN_TRUST: 'simulated',
    TCB_STATUSES,
    ...wranglerVars,
  }
  await preflight('staging', staging, 0)
  const { ['SIM_ROOT_SHA256']: _, ...production } = staging
  const measurements = JSON.stringify([
    Object.fromEntries(['mrtd', 'rtmr0', 'rtmr1', 'rtmr2'].map((name) => [name, 'a'.repeat(96)])),
  ])
  const trusting = { SVC_ENV: 'production', ORIGIN_TRUST: 'hardware' }
  const strict = { ...production, ...trusting, ORIGIN_MEASUREMENTS: measurements }
  const refused = await preflight('production', strict, 1)
  if (!/quote/.test(refused)) throw new Error(`production does not refuse the quote:\n${refused}`)

  const [bundle] = await nodeBundles([EDGE_ENTRY])
  let child: Child | undefined
  const deploy = async (vars: Record<string, string> = {}) => {
    await child?.stop()
    child = new Child({
      name: 'edge',
      command: process.execPath,
      args: [...NODE_OPTIONS, bundle!],
      env: {
        ...inheritedEnvironment(),
        ...env,
        EDGE_STATE_DIR: folder,
        EDGE_PORT: String(EDGE_PORT),
        EDGE_BINDINGS: JSON.stringify({ ...staging, ...secrets, ...vars }),
      },
      ipc: true,
      stopSignal: 'SIGTERM',
      onLine,
      started: () => {},
    })
    await child.waitForReady()
  }
  await deploy()

  const server = createServer(certificate, (request, response) => {
    const headers = { ...request.headers, 'cf-connecting-ip': request.socket.remoteAddress ?? '' }
    const { method, url: path } = request
    const out = forward({ port: EDGE_PORT, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    out.on('error', () => response.destroy())
    request.pipe(out)
  })
  server.listen(443, HOSTS[host])
  await once(server, 'listening')
  await untilHealthy(url)
  return {
    /** Deploys the Worker again, with further settings. */
    deploy,
  }
}

/** `wrangler.toml` with the placeholders of all environments filled in. */
function filledIn(host: string, vars: Record<string, string>): string {
  const id = '"11111111-2222-3333-4444-555555555555"'
  return readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')
    .replaceAll(/edge\.(staging\.)?fill-in\.invalid/g, host)
    .replaceAll(/https:\/\/origin\.(staging\.)?fill-in\.invalid/g, vars['ORIGIN_URL']!)
    .replaceAll('"00000000-0000-0000-0000-000000000000"', id)
}

const HEALTHY_MS = 60_000

/** @throws {Error} with the last response */
async function untilHealthy(url: string): Promise<void> {
  const deadline = performance.now() + HEALTHY_MS
  for (;;) {
    // The edge verifies the origin at the first request for it.
    await (await fetch(`${url}/core/v1/version`)).body?.cancel()
    const response = await fetch(`${url}/health`)
    const text = await response.text()
    if (response.ok && text.includes('"status":"ok"')) return
    if (performance.now() > deadline) throw new Error(`the edge is not healthy: ${text}`)
    await sleep(200)
  }
}
