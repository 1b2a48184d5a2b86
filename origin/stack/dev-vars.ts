/**
 * `npm run dev-vars`: fills in `.dev.vars` for `npx wrangler dev` from a running local stack, and creates the tables of
 * wrangler's local D1.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { loadRootKey } from '../keys/root-key-file.ts'
import { replaceFile } from '../replace-file.ts'
import { simulatedPinOf } from '../tee/simulated/provider.ts'
import { loadLocalSecrets, loadMetricsToken } from './local-secrets.ts'
import { LOCAL_CHAIN_ID, LOCAL_FINALITY } from './chain.ts'
import { STATE_DIR_DEFAULT } from './stack-settings.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const recordSchema = z.object({
  addresses: z.object({ base_url: z.string(), chain_rpc: z.string(), ca_file: z.string() }),
})

/** Returns settings by name, for the values in the example that depend on the stack. */
function stackSettings(stateDir: string): { settings: Record<string, string>; caFile: string } {
  const { addresses } = recordSchema.parse(
    JSON.parse(readFileSync(join(stateDir, 'stack.json'), 'utf8')),
  )
  const { channelPsk, idMacKey } = loadLocalSecrets(stateDir)
  const chain = { chain_id: LOCAL_CHAIN_ID, rpc: [addresses.chain_rpc], finality: LOCAL_FINALITY }
  const settings = {
    ORIGIN_URL: addresses.base_url,
    SIM_ROOT_SHA256: simulatedPinOf(loadRootKey(stateDir, 'local')),
    CHANNEL_PSK: channelPsk,
    ID_MAC_KEY: idMacKey,
    METRICS_TOKEN: loadMetricsToken(stateDir),
    CHAINS: `'${JSON.stringify({ ethereum: { ...chain, poll_ms: 1_000 } })}'`,
  }
  return { settings, caFile: addresses.ca_file }
}

/** Replaces the values of settings in the example, and keeps its other lines. */
function fillInExample(example: string, settings: Record<string, string>): string {
  return example.replaceAll(/^([A-Z_0-9]+)=.*$/gm, (line, name: string) =>
    name in settings ? `${name}=${settings[name]}` : line,
  )
}

function createTables(persistTo: string | undefined): void {
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const options = persistTo === undefined ? [] : ['--persist-to', persistTo]
  execFileSync(
    process.execPath,
    [wrangler, 'd1', 'migrations', 'apply', 'svc', '--local', ...options],
    // Without a terminal, wrangler applies the migrations without a question.
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CI: 'true' } },
  )
}

function run(): void {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: join(root, '.dev.vars') },
      'public-url': { type: 'string' },
      'persist-to': { type: 'string' },
    },
  })
  const stateDir = resolve(process.env['SVC_STATE_DIR'] ?? join(root, STATE_DIR_DEFAULT))
  let stack: ReturnType<typeof stackSettings>
  try {
    stack = stackSettings(stateDir)
  } catch {
    console.error(`no stack runs in ${stateDir}: start one with npm start`)
    process.exit(1)
  }
  const { 'public-url': publicUrl } = values
  const settings = { ...stack.settings, ...(publicUrl !== undefined && { PUBLIC_URL: publicUrl }) }
  const example = readFileSync(join(root, '.dev.vars.example'), 'utf8')
  replaceFile(values.output, fillInExample(example, settings))
  createTables(values['persist-to'])
  console.log(`wrote ${values.output}. Now run:

  NODE_EXTRA_CA_CERTS=${stack.caFile} npx wrangler dev
`)
}

run()
