import type { IdentityDeps } from '../identity/deps.ts'
import type { Settings } from '../settings.ts'

export type OperatorDeps = IdentityDeps & { settings: Settings }
