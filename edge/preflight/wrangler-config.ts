import { unstable_readConfig } from 'wrangler'
import { z } from 'zod'
import type { EnvironmentName } from '../../shared/config/environments.ts'
import { type Check, fault, ok } from '../../shared/preflight/checks.ts'
import { BINDINGS } from '../settings.ts'

/** From this date on, work that an object passes to `waitUntil` keeps the object alive. */
const COMPATIBILITY_DATE_MIN = '2026-10-01'

const PLACEHOLDER_ID = /^[0-]*$/

const configSchema = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  workers_dev: z.boolean().optional(),
  preview_urls: z.boolean().optional(),
  observability: z.object({ enabled: z.boolean().optional() }).optional(),
  routes: z
    .array(
      z.union([
        z.string().transform((pattern) => ({ pattern, custom_domain: false })),
        z.object({ pattern: z.string(), custom_domain: z.boolean().default(false) }),
      ]),
    )
    .default([]),
  vars: z.record(z.string(), z.unknown()),
  triggers: z.object({ crons: z.array(z.string()).default([]) }),
  durable_objects: z.object({
    bindings: z.array(z.object({ name: z.string(), class_name: z.string() })),
  }),
  d1_databases: z.array(z.object({ binding: z.string(), database_id: z.string().default('') })),
  migrations: z.array(z.object({ new_sqlite_classes: z.array(z.string()).default([]) })),
})
export type WranglerConfig = z.infer<typeof configSchema>

export class UnreadableConfigError extends Error {
  override readonly name = 'UnreadableConfigError'
}

/** Reads the configuration as `wrangler deploy --env` does, including what the environment inherits. */
export function readWranglerConfig(config: string, env: EnvironmentName): WranglerConfig {
  try {
    return configSchema.parse(unstable_readConfig({ config, env }, { hideWarnings: true }))
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unknown'
    throw new UnreadableConfigError(`${config}, environment ${env}: ${reason}`)
  }
}

export function wranglerChecks(config: WranglerConfig, env: EnvironmentName): Check[] {
  return [
    environmentCheck(config, env),
    routesCheck(config),
    databaseCheck(config),
    bindingsCheck(config),
    publicationCheck(config),
  ]
}

function environmentCheck({ name, vars }: WranglerConfig, env: EnvironmentName): Check {
  const { SVC_ENV } = vars
  return SVC_ENV === env
    ? ok('wrangler.toml', `Worker ${name}`)
    : fault('wrangler.toml', `env.${env}.vars does not set SVC_ENV to ${env}`)
}

function routesCheck({ routes, vars }: WranglerConfig): Check {
  const name = 'routes'
  const host = typeof vars['PUBLIC_URL'] === 'string' ? URL.parse(vars['PUBLIC_URL'])?.host : ''
  if (routes.length === 0) return fault(name, 'none: the Worker has no address')
  const patterns = routes.map(({ pattern }) => pattern)
  if (patterns.some((pattern) => pattern.includes('.invalid')))
    return fault(name, `still the placeholder: ${patterns.join(', ')}`)
  const serves = routes.some(({ pattern, custom_domain }) =>
    custom_domain ? pattern === host : pattern === `${host}/*`,
  )
  if (!serves) return fault(name, `none is for all paths of PUBLIC_URL: ${patterns.join(', ')}`)
  return ok(name, patterns.join(', '))
}

function databaseCheck({ d1_databases }: WranglerConfig): Check {
  const name = 'D1'
  const id = d1_databases.find(({ binding }) => binding === 'DB')?.database_id
  if (id === undefined) return fault(name, 'the binding DB is missing')
  if (PLACEHOLDER_ID.test(id))
    return fault(name, 'database_id is still the placeholder; wrangler d1 create prints it')
  return ok(name, id)
}

function bindingsCheck(config: WranglerConfig): Check {
  const name = 'bindings'
  const objects = config.durable_objects.bindings
  const bound = ['DB', ...objects.map((object) => object.name)]
  const missing = BINDINGS.filter((binding) => !bound.includes(binding))
  if (missing.length > 0) return fault(name, `missing: ${missing.join(', ')}`)
  const migrated = config.migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes)
  const stateless = objects.filter(({ class_name }) => !migrated.includes(class_name))
  if (stateless.length > 0)
    return fault(name, `no migration for ${stateless.map((each) => each.class_name).join(', ')}`)
  return ok(name, `${bound.length}, with migrations`)
}

function publicationCheck(config: WranglerConfig): Check {
  const name = 'publication'
  const { workers_dev, preview_urls, observability, triggers, compatibility_date } = config
  const faults = [
    ...(workers_dev === false && preview_urls === false
      ? []
      : ['workers_dev and preview_urls must be false: their hosts are not the one of PUBLIC_URL']),
    ...(observability?.enabled === true ? [] : ['observability is disabled, so there is no log']),
    ...(triggers.crons.length > 0 ? [] : ['there is no cron trigger, which wakes the scanner']),
    ...(compatibility_date >= COMPATIBILITY_DATE_MIN
      ? []
      : [`compatibility_date must be ${COMPATIBILITY_DATE_MIN} or later`]),
  ]
  if (faults.length > 0) return fault(name, faults.join('; '))
  return ok(name, 'only at the routes, with logs and a cron trigger')
}
