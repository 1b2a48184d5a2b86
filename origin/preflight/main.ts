/**
 * `npm run preflight -- origin`: checks the configuration of an origin. In the image:
 * `node origin/preflight/main.ts`.
 */
import { parseArgs } from 'node:util'
import { faultsIn, reportOf } from '../../shared/preflight/checks.ts'
import { checkOrigin } from './check-origin.ts'
import { readConfiguration, UnreadableFileError } from './configuration.ts'

const USAGE =
  'usage: npm run preflight -- origin [--compose <app-compose.json>] [--vars-file <file>] [--json]'

/** @returns the exit code: 0 without faults, 1 with faults, 2 for invalid usage */
export async function preflightOrigin(args: string[]): Promise<number> {
  let options: { compose?: string; 'vars-file'?: string; json?: boolean }
  try {
    options = parseArgs({
      args,
      options: {
        compose: { type: 'string' },
        'vars-file': { type: 'string' },
        json: { type: 'boolean' },
      },
    }).values
  } catch {
    console.error(USAGE)
    return 2
  }
  try {
    const files = { composeFile: options.compose, varsFile: options['vars-file'] }
    const checks = await checkOrigin(readConfiguration(files, process.env), Date.now)
    console.log(reportOf(checks, options.json === true))
    return faultsIn(checks) === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    console.error(error.message)
    return 2
  }
}

if (import.meta.main) process.exit(await preflightOrigin(process.argv.slice(2)))
