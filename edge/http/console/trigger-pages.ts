import type { App } from '../app-env.ts'

/** Pages of triggers: the list, a new one, its change. */
export function registerTriggerPages(_app: App): void {}
