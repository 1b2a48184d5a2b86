import type { App } from '../app-env.ts'

/** Pages of what triggers did: the runs of one, and a run. */
export function registerRunPages(_app: App): void {}
