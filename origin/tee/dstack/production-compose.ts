import { z } from 'zod'
import { TeeMismatchError } from '../provider.ts'

const composeSchema = z.object({ docker_compose_file: z.string() })

/**
 * Requires the measured compose file to set `SVC_ENV=production`. If only the encrypted environment set it, the
 * operator of the machine could change it without changing the compose hash.
 * @param appCompose JSON text
 * @throws {TeeMismatchError}
 */
export function requireProductionCompose(appCompose: string): void {
  const text = composeFileIn(appCompose).replace(/^\s*#.*$/gm, '')
  const assignments = [...text.matchAll(/\bSVC_ENV\b(.*)$/gm)].map(([, rest = '']) => rest)
  const isProduction = (rest: string) => /^["']?\s*[:=]\s*["']?production["']?\s*(#.*)?$/.test(rest)
  if (assignments.length > 0 && assignments.every(isProduction)) return
  throw new TeeMismatchError('the measured compose text does not set SVC_ENV=production')
}

function composeFileIn(appCompose: string): string {
  try {
    return composeSchema.parse(JSON.parse(appCompose)).docker_compose_file
  } catch {
    throw new TeeMismatchError('the measured app-compose text has no docker_compose_file')
  }
}
