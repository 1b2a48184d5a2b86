import { fileURLToPath } from 'node:url'

/** Entry point of the sandbox process. In the package, `packed-files.ts` replaces this module. */
export const SANDBOX_PROCESS = fileURLToPath(new URL('process.ts', import.meta.url))
