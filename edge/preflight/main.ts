/** `npm run preflight -- edge`: checks the configuration of an edge before it is deployed. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs, parseEnv } from 'node:util'
import { type EnvironmentName, ENVIRONMENTS } from '../../shared/config/environments.ts'
import { faultsIn, reportOf } from '../../shared/preflight/checks.ts'
import { checkEdge } from './check-edge.ts'
import { readWranglerConfig, UnreadableConfigError } from './wrangler-config.ts'

const USAGE =
  'usage: npm run preflight -- edge --env <staging|production> [--vars-file <file>] [--config <wrangler.toml>] [--json]'

const CONFIG = fileURLToPath(new URL('../../wrangler.toml', import.meta.url))

type Options = { env: EnvironmentName; config: string; varsFile: string | undefined; json: boolean }

/** @returns the exit code: 0 without faults, 1 with faults, 2 for invalid usage */
export async function preflightEdge(args: string[]): Promise<number> {
  const options = readOptions(args)
  if (!options) {
    console.error(USAGE)
    return 2
  }
  try {
    const { env, varsFile } = options
    const vars = varsFile === undefined ? undefined : parseEnv(readFileSync(varsFile, 'utf8'))
    const config = readWranglerConfig(options.config, env)
    const checks = await checkEdge({ config, env, vars }, Date.now)
    console.log(reportOf(checks, options.json))
    return faultsIn(checks) === 0 ? 0 : 1
  } catch (error) {
    const isExpected = error instanceof UnreadableConfigError || isFileError(error)
    if (!isExpected) throw error
    console.error(error.message)
    return 2
  }
}

function readOptions(args: string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        env: { type: 'string' },
        config: { type: 'string', default: CONFIG },
        'vars-file': { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const { env = '', config, json } = values
    if (!isPublicEnvironment(env)) return undefined
    return { env, config, json, varsFile: values['vars-file'] }
  } catch {
    return undefined
  }
}

function isPublicEnvironment(name: string): name is EnvironmentName {
  return Object.hasOwn(ENVIRONMENTS, name) && ENVIRONMENTS[name as EnvironmentName].isPublic
}

function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}
