import packageFile from '../package.json' with { type: 'json' }
import type { Settings } from './env.ts'

/** Returns the version and the commit of the Worker. */
export function buildOf({ SVC_COMMIT }: Pick<Settings, 'SVC_COMMIT'>): {
  version: string
  commit: string
} {
  return { version: packageFile.version, commit: SVC_COMMIT }
}
