import { fileURLToPath } from 'node:url'

/** Entry point of the sandbox process, beside the bundle. */
export const SANDBOX_PROCESS = fileURLToPath(new URL('sandbox-process.js', import.meta.url))
