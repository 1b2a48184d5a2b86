/**
 * `npm run simulated-root -- <state folder>`: creates the root key of a staging deployment unless it exists, and prints
 * the SHA-256 of its simulated root, for `SVC_SIM_ROOT_SHA256` of the origin and `SIM_ROOT_SHA256` of the edge.
 */
import { mkdirSync } from 'node:fs'
import { loadRootKey } from '../keys/root-key-file.ts'
import { simulatedPinOf } from '../tee/simulated/provider.ts'

const [, , folder] = process.argv
if (folder === undefined) {
  console.error('usage: npm run simulated-root -- <state folder>')
  process.exit(2)
}
mkdirSync(folder, { recursive: true, mode: 0o700 })
console.log(simulatedPinOf(loadRootKey(folder, 'local')))
