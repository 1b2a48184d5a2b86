import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Where the bundle of ethers 5.8.0 dropped elliptic's precomputed tables, to be smaller. */
const DROPPED_TABLES = 'pre=null.crash()'

/**
 * The source of ethers v5 as a sandbox evaluates it: its own bundle, with elliptic's tables of multiples
 * of the secp256k1 generator put back. Without them the first signature of every fresh sandbox computes
 * them again, for more than a second.
 */
export function ethersSource(): string {
  const require = createRequire(import.meta.url)
  const bundle = readFileSync(require.resolve('ethers-v5/dist/ethers.umd.min.js'), 'utf8')
  const signingKey = createRequire(require.resolve('ethers-v5')).resolve(
    '@ethersproject/signing-key',
  )
  const tables = readFileSync(
    createRequire(signingKey).resolve('elliptic/lib/elliptic/precomputed/secp256k1.js'),
    'utf8',
  )
  const [before, after, ...more] = bundle.split(DROPPED_TABLES)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error('the bundle of ethers v5 is not the one that this was written for')
  }
  return `${before}pre=(()=>{const module={};${tables};return module.exports})()${after}`
}
