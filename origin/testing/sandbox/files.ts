import { fileURLToPath } from 'node:url'

/** Entry point of the sandbox process. The package build replaces this module. */
export const SANDBOX_PROCESS = fileURLToPath(new URL('process.ts', import.meta.url))
