import { measuredEnvironments } from '../../shared/attestation/measured-environment.ts'
import { ENVIRONMENTS, type EnvironmentName } from '../../shared/config/environments.ts'
import { TeeMismatchError } from './provider.ts'

/**
 * Requires the measured compose file of a public deployment to set its environment. If only the encrypted environment
 * set it, the operator of the machine could change it without changing the compose hash.
 * @param appCompose JSON text
 * @throws {TeeMismatchError}
 */
export function requireMeasuredEnvironment(appCompose: string, environment: EnvironmentName): void {
  if (!ENVIRONMENTS[environment].isPublic) return
  const measured = measuredEnvironments(appCompose)
  if (measured.length > 0 && measured.every((name) => name === environment)) return
  throw new TeeMismatchError(`the measured compose text does not set SVC_ENV=${environment}`)
}
