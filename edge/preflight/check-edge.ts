import type { EnvironmentName } from '../../shared/config/environments.ts'
import { SETTINGS } from '../../shared/config/settings.ts'
import { checkChainNodes } from '../../shared/preflight/chain-nodes.ts'
import { type Check, ok, runCheck, settingChecks, skipped } from '../../shared/preflight/checks.ts'
import { checkEdgeSettings, edgeSettings, type Settings } from '../settings.ts'
import { sleep } from '../sleep.ts'
import { checkOriginEvidence } from './origin-evidence.ts'
import { type WranglerConfig, wranglerChecks } from './wrangler-config.ts'

/** Longer than the timeouts of the checks, whose results are more specific. */
const CHECK_TIMEOUT_MS = 60_000

type EdgeDeployment = {
  config: WranglerConfig
  env: EnvironmentName
  /** Secrets, and settings that override those of `wrangler.toml`. Undefined if no file was given. */
  vars: Record<string, string | undefined> | undefined
}

/** Checks each part whose settings have no fault, so that all faults are reported at once. */
export async function checkEdge(
  { config, env, vars }: EdgeDeployment,
  now: () => number,
): Promise<Check[]> {
  const given: Record<string, unknown> = { ...config.vars, ...vars }
  const parsed = checkEdgeSettings(given)
  const settings: Partial<Settings> = parsed.settings ?? parsed.valid
  const isHidden = (name: string) =>
    vars === undefined && given[name] === undefined && isSecret(name)
  const faults = parsed.faults ?? []
  const send: typeof fetch = (input, init) => fetch(input, init)
  const nodes = () =>
    checkChainNodes(settings.CHAINS ?? {}, {
      fetch: send,
      sleep,
      now,
      timeoutMs: CHECK_TIMEOUT_MS,
    })
  const [chains, origin] = await Promise.all([
    runCheck('CHAINS', CHECK_TIMEOUT_MS, nodes),
    runCheck('origin', CHECK_TIMEOUT_MS, async () => {
      const trust = trustOf(settings, faults)
      if (!trust) return skipped('origin', 'the settings of its verification have a fault')
      return checkOriginEvidence(trust, send, now)
    }),
  ])
  return [
    ...wranglerChecks(config, env),
    ...settingChecks(faults.filter(([name]) => !isHidden(name))),
    ...secretChecks(env, isHidden),
    ...chains,
    ...origin,
    mailerCheck(settings, isHidden('MAILER')),
  ]
}

/** A setting that is a secret only under a condition is not expected among the secrets. */
function isSecret(name: string): boolean {
  const schema = edgeSettings[name as keyof typeof edgeSettings]
  const secret = schema && SETTINGS.get(schema)?.secret
  return secret === true || (typeof secret === 'string' && !secret.startsWith('if '))
}

/** Secrets are stored at Cloudflare, so they cannot be read here. */
function secretChecks(env: EnvironmentName, isHidden: (name: string) => boolean): Check[] {
  return Object.entries(edgeSettings)
    .filter(([name]) => isHidden(name))
    .map(([name, schema]) =>
      skipped(
        name,
        schema.safeParse(undefined).success
          ? `an optional secret: wrangler secret put ${name} --env ${env}`
          : `a secret that must exist in wrangler secret list --env ${env}; check its value with --vars-file`,
      ),
    )
}

function trustOf(
  settings: Partial<Settings>,
  faults: readonly [name: string, message: string][],
): (Settings & { ORIGIN_URL: string }) | undefined {
  const needed = /^(ORIGIN_|SIM_ROOT_|TCB_|GOVERNANCE_)/
  return faults.some(([name]) => needed.test(name)) ? undefined : (settings as Settings)
}

function mailerCheck({ MAILER }: Partial<Settings>, isHidden: boolean): Check {
  if (MAILER) return ok('mailer', `${MAILER.api}, as ${MAILER.from.email}; sign in to test it`)
  return skipped('mailer', isHidden ? 'a secret' : 'not configured, so sign-in is not available')
}
