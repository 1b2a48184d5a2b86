import type { App } from '../app-env.ts'

/** `GET /console`: an account of the core API, seen with a key or a wallet that only the browser has. */
export function registerConsolePage(_app: App): void {}
