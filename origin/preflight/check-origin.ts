import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chains } from '../../shared/config/chain-settings.ts'
import { type SettingFault, settingOf } from '../../shared/config/parse-settings.ts'
import { checkChainNodes } from '../../shared/preflight/chain-nodes.ts'
import { type Check, runCheck, settingChecks, skipped } from '../../shared/preflight/checks.ts'
import { RPC_TIMEOUT_MS } from '../accounts/nodes/chain-nodes.ts'
import { checkSettings, databaseConnection, type OriginSettings } from '../env.ts'
import { checkCertificate } from './certificate.ts'
import { checkChain } from './chain.ts'
import type { Configuration } from './configuration.ts'
import { checkDatabase } from './database.ts'
import { checkMachine } from './machine.ts'
import { checkProcessor } from './processor.ts'

/** Longer than the timeouts of the checks, whose results are more specific. */
const CHECK_TIMEOUT_MS = 15_000

const ON_MACHINE = 'it is on the machine, which is not this one'

/** Settings without which a part cannot be checked. */
const NEEDED = {
  machine: [
    'SVC_ENV',
    'SVC_TEE',
    'SVC_KMS_ROOT',
    'SVC_APP_COMPOSE_FILE',
    'SVC_APP_ID',
    'SVC_PCCS_URL',
    'SVC_STATE_DIR',
  ],
  Postgres: ['DATABASE_URL', 'SVC_DATABASE_CA'],
  chain: ['SVC_CHAIN_RPC'],
  contract: ['SVC_CONTRACT_ADDRESS', 'SVC_CONTRACT_BLOCK'],
  CHAINS: ['CHAINS'],
  certificate: ['SVC_TLS_DIR', 'SVC_ACME_DIRECTORY', 'SVC_PUBLIC_URL'],
  'payment processor': [
    'SVC_PROCESSOR_SECRET_KEY',
    'SVC_PROCESSOR_PUBLISHABLE_KEY',
    'SVC_PROCESSOR_WEBHOOK_SECRET',
    'SVC_PROCESSOR_URL',
  ],
} satisfies Record<string, (keyof OriginSettings)[]>
type Part = keyof typeof NEEDED

/** Checks each part whose settings have no fault, so that all faults are reported at once. */
export async function checkOrigin(
  { environment, withheld, isRemote, checks }: Configuration,
  now: () => number,
  socketPath?: string,
): Promise<Check[]> {
  const parsed = checkSettings(environment)
  const faults = parsed.faults ?? []
  // The parts that are checked have no missing setting.
  const settings = (parsed.settings ?? parsed.valid) as OriginSettings
  const lacks = (part: Part) => {
    const needed: readonly string[] = NEEDED[part]
    return faults.find(([name]) => needed.includes(settingOf(name)))?.[0]
  }
  const run = async (part: Part, check: () => Promise<Check | Check[]> | Check) => {
    const name = lacks(part)
    if (name !== undefined) return [skipped(part, `needs ${name}`)]
    return runCheck(part, CHECK_TIMEOUT_MS, async () => check())
  }
  let rootKey: Uint8Array | undefined
  const machine = await run('machine', async () => {
    if (isRemote) return [skipped('machine', ON_MACHINE), skipped('root key', ON_MACHINE)]
    const stateDir = resolve(settings.SVC_STATE_DIR)
    const opened = await checkMachine({
      settings,
      stateDir,
      now,
      ...(socketPath !== undefined && { socketPath }),
    })
    rootKey = opened.rootKey
    return opened.checks
  })
  const parts = await Promise.all([
    run('Postgres', () => checkDatabase(databaseConnection(settings))),
    run('chain', () => {
      const { SVC_CONTRACT_ADDRESS: address, SVC_CONTRACT_BLOCK: block } = settings
      const contract = lacks('contract') === undefined ? { address, block } : undefined
      const { SVC_CHAIN_RPC: rpcUrls, SVC_PAYERS: payers } = settings
      return checkChain({ rpcUrls, contract, payers, rootKey })
    }),
    run('CHAINS', () => checkChains(settings.CHAINS, now)),
    run('certificate', () =>
      isRemote ? skipped('certificate', ON_MACHINE) : checkCertificate(settings, now()),
    ),
    run('payment processor', () => checkProcessor(settings)),
  ])
  const isWithheld = ([name]: SettingFault) => withheld.has(name) && environment[name] === undefined
  return [
    ...checks,
    ...settingChecks(faults.filter((found) => !isWithheld(found))),
    ...faults
      .filter(isWithheld)
      .map(([name]) => skipped(name, 'a secret: check it with --vars-file')),
    ...machine,
    ...parts.flat(),
  ]
}

async function checkChains(chains: Chains, now: () => number): Promise<Check | Check[]> {
  if (Object.keys(chains).length === 0)
    return skipped('CHAINS', 'not configured, so wallets cannot send transactions')
  return checkChainNodes(chains, {
    fetch: (url, init) => fetch(url, init),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
    now,
    timeoutMs: RPC_TIMEOUT_MS,
  })
}
