/** Entry point of `npm start`. Runs `run-start.ts` from a bundle, which loads faster than its sources. */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { nodeBundles } from './bundles.ts'

const RUN_START = fileURLToPath(new URL('run-start.ts', import.meta.url))

try {
  const [bundle] = await nodeBundles([RUN_START])
  await import(pathToFileURL(bundle!).href)
} catch (error) {
  console.error(`svc: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
