/**
 * Properties of the environments (`SVC_ENV`). Code that differs between environments reads a property instead of
 * comparing names, so that a new environment cannot be added without deciding each of them.
 */
export const ENVIRONMENT_NAMES = ['local', 'staging', 'production'] as const
export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number]

type Environment = {
  /**
   * Machines on which the origin may run, and whose evidence the edge accepts. A simulated machine's keys are in a file
   * (`docs/attestation.md`).
   */
  machine: 'any' | 'simulated' | 'hardware'
  /**
   * True if people other than a developer reach the deployment over public networks. Such a deployment has certificates
   * and mail of its own, trusts client addresses from Cloudflare, and rejects every convenience of a local stack.
   */
  isPublic: boolean
  /** Accepted mode of the payment processor's keys. */
  payments: 'any' | 'test' | 'live'
  /** True if the accounts are on a chain without real value. */
  isTestnet: boolean
  /** Sentence on every page, so that nobody mistakes the deployment for production. */
  banner?: string
}

export const ENVIRONMENTS: Readonly<Record<EnvironmentName, Environment>> = {
  local: { machine: 'any', isPublic: false, payments: 'any', isTestnet: true },
  staging: {
    machine: 'simulated',
    isPublic: true,
    payments: 'test',
    isTestnet: true,
    banner:
      'Staging: for tests only. Payments are not real, and no hardware protects keys and wallets.',
  },
  production: { machine: 'hardware', isPublic: true, payments: 'live', isTestnet: false },
}

/** Header of every response of a deployment that has a banner. Its value is the name of the environment. */
const ENVIRONMENT_HEADER = 'x-svc-environment'

/** Returns the header's name and value, or nothing for an environment without a banner. */
export function environmentHeaders(name: EnvironmentName): Record<string, string> {
  return ENVIRONMENTS[name].banner === undefined ? {} : { [ENVIRONMENT_HEADER]: name }
}
